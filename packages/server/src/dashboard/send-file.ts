import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BuiltFile } from './read-files.ts'

/** File names in this folder contain a hash of their content. */
const FOR_EVER = 'public, max-age=31536000, immutable'

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  file: BuiltFile,
): FastifyReply {
  void reply.header('cache-control', path.startsWith('/assets/') ? FOR_EVER : 'no-cache')
  const { encoding, body } = chooseEncoding(file, request.headers['accept-encoding'] ?? '')
  const etag = encoding === undefined ? file.etag : file.etag.replace(/"$/, `-${encoding}"`)
  void reply.header('etag', etag)
  if (file.br ?? file.gzip) void reply.header('vary', 'accept-encoding')
  if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
  if (encoding !== undefined) void reply.header('content-encoding', encoding)
  return sendBody(reply.type(file.type), body)
}

/** Outside a route, the framework would send the body for HEAD as well. */
export function sendBody(reply: FastifyReply, body: Buffer): FastifyReply {
  if (reply.request.method !== 'HEAD') return reply.send(body)
  return reply.header('content-length', body.length).send()
}

function chooseEncoding(
  { body, br, gzip }: BuiltFile,
  accepted: string,
): { readonly encoding?: string; readonly body: Buffer } {
  if (br && accepts(accepted, 'br')) return { encoding: 'br', body: br }
  if (gzip && accepts(accepted, 'gzip')) return { encoding: 'gzip', body: gzip }
  return { body }
}

/** `gzip;q=0` means that gzip is not accepted. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((term) => {
    const [name = '', ...parameters] = term.split(';').map((part) => part.trim().toLowerCase())
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

function isKnown(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false
  return header.split(',').some((known) => {
    const text = known.trim()
    return text === '*' || text.replace(/^W\//, '') === etag
  })
}

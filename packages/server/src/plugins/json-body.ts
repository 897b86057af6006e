import { int64FieldNames, parseJson, SkeinError } from '@skein/contract'
import type { FastifyInstance } from 'fastify'

/** The only body we take is JSON, read strictly. An empty one is no body. */
export function installJsonBody(app: FastifyInstance): void {
  const int64Fields = int64FieldNames()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined)
    const parsed = parseJson(bytes, int64Fields)
    if (parsed.ok) return done(null, parsed.value)
    return done(new SkeinError('JSON_INVALID', { message: `The body is not valid JSON: ${parsed.problem}.` }))
  })
}

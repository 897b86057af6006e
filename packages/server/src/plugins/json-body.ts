import { int64FieldNames, parseJson, SkeinError } from '@skein/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { waitForTurn } from './fair-start.ts'

/** Only JSON bodies are accepted, and parsed strictly. An empty body is no body. */
export function installJsonBody(app: FastifyInstance): void {
  const int64Fields = int64FieldNames()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (bytes.length === 0) return undefined
      await waitForTurn(request, bytes.length)
      const parsed = parseJson(bytes, int64Fields)
      if (parsed.ok) return parsed.value
      throw new SkeinError('JSON_INVALID', { message: `The body is not valid JSON: ${parsed.problem}.` })
    },
  )
}

import { createHash } from 'node:crypto'
import { generateOpenApi } from '@skein/contract'
import type { FastifyInstance } from 'fastify'
import { readApiDocument } from './api-document.ts'
import { readVersion } from '../version.ts'
import { renderPage } from './page.ts'
import { STYLE } from './style.ts'

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The API reference, for people at /docs and for programs at /openapi.json. No key needed. */
export async function installDocs(app: FastifyInstance): Promise<void> {
  const document = once(() => generateOpenApi(readVersion()))
  // In a separate scope: its hook runs after the one that sets the headers of all other responses.
  await app.register(async (scope) => {
    scope.addHook('onSend', async (_request, reply) => {
      void reply.header('content-security-policy', POLICY)
    })
    serve(scope, '/docs', 'text/html; charset=utf-8', () => renderPage(readApiDocument(document())))
    serve(scope, '/docs/style.css', 'text/css; charset=utf-8', () => STYLE)
    serve(scope, '/openapi.json', 'application/json; charset=utf-8', () => JSON.stringify(document()))
    scope.get('/docs/', (_request, reply) => reply.redirect('../docs', 308))
  })
}

/** Created on first use and kept until the server ends. */
function serve(scope: FastifyInstance, path: string, type: string, make: () => string): void {
  const content = once(() => {
    const body = make()
    return { body, tag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` }
  })
  scope.get(path, (request, reply) => {
    const { body, tag } = content()
    void reply.headers({ etag: tag, 'cache-control': 'public, no-cache' })
    const known = request.headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''))
    if (known?.includes(tag) === true) return reply.code(304).send()
    return reply.type(type).send(body)
  })
}

function once<Value extends object>(make: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= make())
}

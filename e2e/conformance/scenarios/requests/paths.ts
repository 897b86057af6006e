import type { Api } from '../../api.ts'
import type { Book } from '../../book.ts'

export async function paths(book: Book, api: Api): Promise<void> {
  book.notFound('an unknown path is NOT_FOUND', await api.post('/v1/agent/no-such-thing', {}))
  book.notFound('a path without the version segment is not an endpoint', await api.post('/agents', {}))
  book.notFound('another version is not an endpoint', await api.post('/v2/agents', {}))
  for (const [method, path, allow] of [
    ['GET', '/v1/agents', /POST/],
    ['PUT', '/v1/catalog/persona/default', /GET.*POST|POST.*GET/],
    ['DELETE', '/v1/agent/kill', /POST/],
    ['POST', '/v1/whoami', /GET/],
  ] as const) {
    const answer = await api.call(method, path)
    book.error(`${method} ${path} is 405 UNIMPLEMENTED`, answer, 12, 405)
    book.row(
      `… with the header Allow`,
      allow.test(answer.headers.get('allow') ?? ''),
      answer.headers.get('allow'),
    )
  }
  const openapi = await fetch(`${api.service.baseUrl}/openapi.json`)
  const served = openapi.ok ? Object.keys(((await openapi.json()) as { paths: object }).paths) : []
  book.row(
    'the served openapi.json has every endpoint of the contract, below /v1',
    [
      '/v1/agent/queue',
      '/v1/agent/queue/remove',
      '/v1/agent/clear-follow-ups',
      '/v1/agent/stop-turn',
      '/v1/agent/kill',
      '/v1/agents',
      '/v1/catalog/{ref.kind}/{ref.name}',
      '/v1/agent/spawn',
      '/v1/agent/status',
      '/v1/agent/wait',
      '/v1/whoami',
    ].every((path) => served.includes(path)),
    served,
  )
}

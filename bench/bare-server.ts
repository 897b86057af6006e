/** The bare operations behind a route, in a process of its own like the server's: what Skein is compared with. */
import Fastify from 'fastify'
import { BareEngine, type ClaimedBare } from './bare-engine.ts'
import type { SeededAgent } from './seed.ts'

const { BARE_DATABASE_URL = '', BARE_TENANT_ID = '', BARE_PORT = '', BARE_CONNECTIONS = '' } = process.env
const engine = new BareEngine(BARE_DATABASE_URL, BARE_TENANT_ID, Number(BARE_CONNECTIONS))
const server = Fastify()

server.get('/readyz', () => ({ ok: true }))
server.post<{ Body: SeededAgent }>('/status', ({ body }) => engine.read(body.key))
server.post<{ Body: { pageSize: number } }>('/list', async ({ body }) => {
  const states = await engine.list(body.pageSize + 1)
  return { entries: states.slice(0, body.pageSize).map(toEntry), isLast: states.length <= body.pageSize }
})
server.post<{ Body: SeededAgent }>('/queue', async ({ body }) => {
  await engine.queue(body)
  return { accepted: true }
})
server.post<{ Body: { template: string; name: string } }>('/spawn', async ({ body }) => {
  await engine.spawn(body.template, body.name)
  return { accepted: true }
})
server.post('/claim', () => engine.claim())
server.post<{ Body: ClaimedBare }>('/complete', async ({ body }) => {
  await engine.complete(body)
  return { accepted: true }
})

await server.listen({ host: '127.0.0.1', port: Number(BARE_PORT) })
process.once('SIGTERM', () => process.exit(0))

/** As much as a list of Skein shows of each agent. */
function toEntry({ identity, phase, progressAt, repos, needsInput, usage }: Record<string, unknown>): object {
  return { identity, phase, progressAt, repos, needsInput, usage }
}

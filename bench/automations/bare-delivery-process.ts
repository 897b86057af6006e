/** The least that a delivery can cost: loops that post a message and then update one row each, durably. */
import { Agent, request } from 'node:http'
import { Pool } from 'pg'

export interface BareOrder {
  readonly databaseUrl: string
  readonly url: string
  readonly body: string
  readonly loops: number
  readonly connections: number
  readonly seconds: number
}

process.on('message', (message) => void obey(message as BareOrder))
process.once('disconnect', () => process.exit(0))

async function obey({ databaseUrl, url, body, loops, connections, seconds }: BareOrder): Promise<void> {
  const pool = new Pool({ connectionString: databaseUrl, max: connections })
  const agent = new Agent({ keepAlive: true, maxSockets: loops })
  await pool.query('create table if not exists bare_lane (id integer primary key, next bigint not null)')
  await pool.query('insert into bare_lane select n, 0 from generate_series(1, $1) n on conflict do nothing', [
    loops,
  ])
  const end = performance.now() + seconds * 1000
  let done = 0
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: loops }, async (_none, index) => {
      while (performance.now() < end) {
        await post(agent, url, body)
        await pool.query({
          name: 'bare_move',
          text: 'update bare_lane set next = next + 1 where id = $1',
          values: [index + 1],
        })
        done += 1
      }
    }),
  )
  const perSecond = (done / (performance.now() - startedAt)) * 1000
  agent.destroy()
  await pool.end()
  process.send?.({ perSecond })
}

function post(agent: Agent, url: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
    const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.once('end', resolve)
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

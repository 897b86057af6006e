import { migrate } from '@skein/store'
import { createServerLogin, startPostgresServer, waitFor, type PostgresServer } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootstrapTenant } from './first-tenant.ts'
import { send, writeDocument } from './http.ts'
import { startReplicated, type ReplicatedPostgres } from './replicated-postgres.ts'
import { endProcesses, runCommand, startServer, type ServerProcess } from './skein-process.ts'

const LAG_SECONDS = 5
const MAX_LAG_SECONDS = 8
const login = { name: 'skein_app', password: 'replica' }

let postgres: ReplicatedPostgres
let serverUrl: string
let key: string
let one: ServerProcess
let two: ServerProcess

beforeAll(async () => {
  postgres = await startReplicated(LAG_SECONDS, async (primary) => {
    await migrate({ connectionString: primary.url() })
    serverUrl = await createServerLogin(primary.url(), login)
  })
  ;({ key } = await bootstrapTenant(postgres.primary.url()))
  ;[one, two] = [await startServer(settings()), await startServer(settings())]
  await writeDocument(one.url, key, 'workspace/shop', {})
  // Once the servers know where the primary was that long ago, and the replica has the workspace.
  await untilReplicaIsRead(two)
})

afterAll(async () => {
  await endProcesses()
  await postgres.stop()
})

function settings(replicaUrl = onReplica(serverUrl)) {
  return {
    SKEIN_DATABASE_URL: serverUrl,
    SKEIN_READ_DATABASE_URL: replicaUrl,
    SKEIN_READ_MAX_LAG_SECONDS: String(MAX_LAG_SECONDS),
  }
}

function onReplica(url: string, { port }: Pick<PostgresServer, 'port'> = postgres.replica): string {
  const moved = new URL(url)
  moved.port = String(port)
  return moved.href
}

const list = async ({ url }: ServerProcess, headers = {}) => {
  const { body } = await send(`${url}/v1/agents`, { method: 'POST', key, body: {}, headers })
  return (body['entries'] as { agentId: { agent: string[] } }[]).map(({ agentId }) => agentId.agent[0])
}

async function readsOf({ url }: ServerProcess): Promise<Record<'replica' | 'late' | 'failed', number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const count = (outcome: string) =>
    Number(
      new RegExp(`^skein_replica_reads_total\\{outcome="${outcome}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0,
    )
  return { replica: count('replica'), late: count('late'), failed: count('failed') }
}

async function untilReplicaIsRead(server: ServerProcess): Promise<void> {
  await waitFor(
    async () => {
      await list(server)
      return (await readsOf(server)).replica > 0
    },
    { what: 'the replica to be read', timeoutMs: 60_000, intervalMs: 500 },
  )
}

const spawnAgent = (name: string, { url } = one) =>
  send(`${url}/v1/agent/spawn`, {
    method: 'POST',
    key,
    body: { agentId: { workspace: 'shop', agent: [name] }, description: 'Look around.' },
  })

describe('with a replica that is five seconds late', () => {
  test('a client sees what it did, on every server, and others see it a little later', async () => {
    const before = await readsOf(two)
    const { headers } = await spawnAgent('ada')
    const position = String(headers['skein-position'])
    expect(position).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)
    expect(await list(two, { 'skein-position': position })).toEqual(['ada'])
    expect((await readsOf(two)).late).toBe(before.late + 1)
    // That it is missing here shows that the replica was asked.
    expect(await list(two)).toEqual([])
    expect(await list(two, { 'skein-position': 'latest' })).toEqual(['ada'])
    await waitFor(async () => (await list(two)).length === 1, { what: 'the replica', timeoutMs: 30_000 })
    expect((await readsOf(two)).replica).toBeGreaterThan(before.replica)
    expect(await list(two, { 'skein-position': position })).toEqual(['ada'])
  })

  test('what the replica does not have yet is not "not found", and a watch misses nothing', async () => {
    await spawnAgent('cleo')
    const body = { agentId: { workspace: 'shop', agent: ['cleo'] } }
    const timeline = await send(`${two.url}/v1/agent/timeline`, { method: 'POST', key, body })
    expect(timeline.status).toBe(200)
    const firstEvents = (timeline.body['events'] as unknown[]).length
    const watch = await fetch(`${two.url}/v1/agent/watch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const seen: string[] = []
    let isQueued = false
    for await (const chunk of watch.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      seen.push(...[...chunk.matchAll(/^id: ?(\d+)$/gm)].map(([, id = '']) => id))
      if (!isQueued)
        await send(`${one.url}/v1/agent/queue`, {
          method: 'POST',
          key,
          body: { ...body, description: 'More.' },
        })
      isQueued = true
      if (seen.length > firstEvents) break
    }
    expect(seen).toEqual(Array.from(seen, (_, index) => String(index + 1)))
  })

  test('a position that cannot be one is refused', async () => {
    for (const wrong of ['16', 'x/1', '1/123456789', `${'1'.repeat(5000)}/1`, "0/1'::pg_lsn"]) {
      const answer = await send(`${two.url}/v1/agents`, {
        method: 'POST',
        key,
        body: {},
        headers: { 'skein-position': wrong },
      })
      expect(answer).toMatchObject({ status: 400, reason: 'REQUEST_INVALID' })
    }
    expect(await list(two, { 'skein-position': 'FFFFFFFF/FFFFFFFF' })).toContain('ada')
  })

  test('a server does not start with something else', async () => {
    const other = await startPostgresServer()
    try {
      await migrate({ connectionString: other.url() })
      await createServerLogin(other.url(), login)
      const refused = async (url: string) => (await runCommand(['serve'], settings(url))).stderr
      expect(await refused(onReplica(postgres.primary.url()))).toContain('postgres is a superuser')
      expect(await refused(onReplica(serverUrl, other))).toContain('not a copy of SKEIN_DATABASE_URL')
    } finally {
      await other.stop()
    }
    // After a failover the address may lead to the primary for a while.
    const { process: server } = await startServer(settings(serverUrl))
    expect(server.logLines.some(({ problem }) => String(problem).includes('accepts writes'))).toBe(true)
  })

  test('without it, everything is read from the primary', async () => {
    await postgres.replica.kill()
    const before = await readsOf(two)
    expect(await list(two)).toContain('ada')
    expect((await readsOf(two)).failed).toBe(before.failed + 1)
    // It is left alone until it was checked.
    expect(await list(two)).toContain('ada')
    expect((await readsOf(two)).failed).toBe(before.failed + 1)
    const third = await startServer(settings())
    expect(await list(third)).toContain('ada')
    await postgres.replica.start()
    await untilReplicaIsRead(third)
  })
})

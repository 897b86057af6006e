import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, request as sendRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { mapKeyOfTenant } from '@skein/core'
import { findFreePort } from '@skein/host'
import { bareEnvironment, PAGE_SECRET, ScriptedRunner, scriptOf, waitFor } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must, runnerKey } from '../../agents/agent-world.ts'
import { cookieFor, SAME_ORIGIN } from '../../browser.ts'
import { TwoCells } from './two-cells.ts'

const CONFIG = new URL('../../../../../deploy/proxies/haproxy-cells.cfg', import.meta.url)
const ADMIN = fileURLToPath(new URL('../../../src/admin.ts', import.meta.url))

let cells: TwoCells
let folder: string
let edge: Edge

/** The file that we ship, with the ports and paths of the test. */
class Edge {
  readonly url: string
  readonly #port: number
  /** Of the two cells. */
  readonly ports: readonly number[]
  #process: ChildProcess | undefined

  constructor(port: number, ports: readonly number[]) {
    this.#port = port
    this.ports = ports
    this.url = `http://127.0.0.1:${port}`
  }

  async start(moved: readonly string[] = [], tenants = ''): Promise<void> {
    await this.stop()
    const text = (await readFile(CONFIG, 'utf8'))
      .replaceAll(/^ +(?:user|group|chroot) .*\n/gm, '')
      .replace('maxconn 20000', 'maxconn 200')
      .replace(/bind :443 ssl .*/, `bind 127.0.0.1:${this.#port}`)
      .replaceAll('/etc/haproxy', folder)
      .replaceAll('__Host-skein', 'skein')
      .replace('127.0.0.1:8081', `127.0.0.1:${this.ports[0]}`)
      .replace('127.0.0.1:8082', `127.0.0.1:${this.ports[1]}`)
    await writeFile(join(folder, 'haproxy.cfg'), text)
    await writeFile(join(folder, 'cells.map'), 'c1 c1\nc2 c2\n')
    await writeFile(join(folder, 'moved.map'), moved.map((line) => `${line}\n`).join(''))
    await writeFile(join(folder, 'tenants.map'), tenants)
    await writeFile(join(folder, 'hosts.map'), 'c2.skein.test c2\n')
    this.#process = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' })
    await waitFor(
      async () => (await fetch(`${this.url}/readyz`).catch(() => undefined))?.ok === true || undefined,
      { what: 'HAProxy to route', timeoutMs: 20_000 },
    )
  }

  async stop(): Promise<void> {
    if (!this.#process) return
    this.#process.kill('SIGKILL')
    await once(this.#process, 'close')
    this.#process = undefined
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skein-cells-'))
  cells = await TwoCells.start({ SKEIN_OUTBOUND_ALLOW: '127.0.0.1', SKEIN_LEASE_MS: '2000' })
  const ports: number[] = []
  for (const { server } of [cells.one, cells.two]) {
    await server.app.listen({ host: '127.0.0.1', port: 0 })
    ports.push((server.app.server.address() as AddressInfo).port)
  }
  edge = new Edge(await findFreePort(), ports)
  await edge.start()
})

afterAll(async () => {
  await edge.stop()
  await cells.close()
  await rm(folder, { recursive: true })
})

async function call(path: string, key: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${edge.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as Record<string, unknown>
  return { status: response.status, body: answer, cookie: response.headers.get('set-cookie') ?? '' }
}

const orgOf = ({ body }: { body: Record<string, unknown> }) => (body['tenant'] as { org: string }).org

/** Until it is answered, as our clients do. */
async function insist(
  path: string,
  key: string,
  body: unknown,
  id: string,
): Promise<Record<string, unknown>> {
  return waitFor(
    async () => {
      const answer = await call(path, key, body, { 'idempotency-key': id }).catch(() => undefined)
      return answer?.status === 200 ? answer.body : undefined
    },
    { what: path, timeoutMs: 120_000 },
  )
}

const whoami = (cookie: string) =>
  fetch(`${edge.url}/v1/whoami`, { headers: { cookie, 'x-skein-page-secret': PAGE_SECRET } })

test('keys, keys of runs and cookies of each cell reach it through one address', async () => {
  for (const cell of [cells.one, cells.two]) {
    const tenant = await cell.server.createTenant()
    expect(orgOf(await call('/v1/whoami', tenant.admin.key ?? ''))).toBe(tenant.tenant.org)
    const shouted = { authorization: `BEARER ${tenant.admin.key}` }
    expect(orgOf(await call('/v1/whoami', '', undefined, shouted))).toBe(tenant.tenant.org)
    const runner = tenant.client(await runnerKey(tenant))
    must(await tenant.admin.post('/v1/agent/spawn', { agentId: { agent: ['a'] }, description: 'x' }))
    const [run] = must(await runner.post('/v1/runner/poll', { capacity: 1 })).body['runs'] as {
      runKey: string
    }[]
    expect(run?.runKey).toMatch(new RegExp(`^skr_${cell.name}\\.v1\\.`))
    expect(orgOf(await call('/v1/whoami', run?.runKey ?? ''))).toBe(tenant.tenant.org)
    const cookie = await cookieFor(cell.server, tenant.admin)
    expect(cookie).toMatch(new RegExp(`^skein=${cell.name}\\.`))
    expect((await whoami(cookie)).status).toBe(200)
    // As cookies were before.
    const old = await cell.server.app.inject({
      url: '/v1/whoami',
      headers: { cookie: cookie.replace(`${cell.name}.`, ''), 'x-skein-page-secret': PAGE_SECRET },
    })
    expect(old.statusCode).toBe(200)
  }
})

test('a sign-in at the address of a cell reaches it, and its cookie does from any address', async () => {
  const tenant = await cells.two.server.createTenant()
  const signIn = { apiKey: tenant.admin.key, pageSecret: PAGE_SECRET }
  const [elsewhere] = await sendTo('skein.test', '/v1/session', SAME_ORIGIN, signIn)
  expect(elsewhere).toBe(401)
  const [status, cookie = ''] = await sendTo('C2.skein.test:8443', '/v1/session', SAME_ORIGIN, signIn)
  expect([status, cookie]).toEqual([200, expect.stringMatching(/^skein=c2\./)])
  expect((await whoami(cookie)).status).toBe(200)
})

test('requests without a key reach the cell of the tenant that their path names', async () => {
  const [port] = edge.ports
  const other = createServer((_, response) => response.end('the other cell')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const routed = new Edge(await findFreePort(), [port ?? 0, (other.address() as AddressInfo).port])
  await edge.stop()
  const orgs = ['acme', 'group/sub', 'my org', 'a:b', "(ü+%)!'*~", 'Case']
  const lines = orgs.map((org) => `${mapKeyOfTenant({ provider: 'PROVIDER_CODEHOST_APP', org })} c2\n`)
  await routed.start([], lines.join(''))
  const reached = async (path: string) => {
    const response = await fetch(`${routed.url}${path}`, { method: 'POST' })
    return (await response.text()) === 'the other cell'
  }
  for (const path of ['trigger', 'code-host', 'token', 'session/logout']) {
    expect({ path, isThere: await reached(`/v1/${path}/codehost_app:acme/x`) }).toEqual({
      path,
      isThere: true,
    })
    expect({ path, isThere: await reached(`/v1/${path}/codehost_app%3Aacme/x`) }).toEqual({
      path,
      isThere: true,
    })
    expect({ path, isThere: await reached(`/v1/${path}/codehost_app:umbrella/x`) }).toEqual({
      path,
      isThere: false,
    })
  }
  for (const org of orgs) {
    for (const provider of ['codehost_app', 'CodeHost_App']) {
      const name = encodeURIComponent(`${provider}:${org}`)
      expect({ name, isThere: await reached(`/v1/trigger/${name}/x`) }).toEqual({ name, isThere: true })
      const path = `/v1/session/logout/${name}/x`
      expect({ path, isThere: await reached(path) }).toEqual({ path, isThere: true })
    }
  }
  // Others, of which a part of the name or of the path looks the same.
  for (const name of ['acme%2Fother', 'group/sub', 'group', 'my', 'case', 'x%2F..%2Facme'])
    expect({ name, isThere: await reached(`/v1/trigger/codehost_app:${name}/x`) }).toEqual({
      name,
      isThere: false,
    })
  await routed.stop()
  other.close()
  await edge.start()
})

/** What `fetch` cannot: with another host than the address. Returns the status and the cookie. */
async function sendTo(host: string, path: string, headers: object, body: object) {
  const request = sendRequest(`${edge.url}${path}`, {
    method: 'POST',
    headers: { ...headers, host, 'content-type': 'application/json' },
  }).end(JSON.stringify(body))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return [response.statusCode, response.headers['set-cookie']?.[0]?.split(';', 1)[0]] as const
}

/** The real program. Killed when it says this; else until its end. */
async function admin(
  org: string,
  ...killedAt: string[]
): Promise<{ code: unknown; out: string; said: string }> {
  const child = spawn(
    process.execPath,
    [ADMIN, 'tenant', 'move', '--org', org, '--to', 'c2', '--drain-seconds', '2'],
    {
      env: {
        ...bareEnvironment(),
        SKEIN_CELL: 'c1',
        SKEIN_OWNER_DATABASE_URL: cells.one.server.database.ownerUrl,
        SKEIN_MASTER_KEY: cells.one.masterKey,
        SKEIN_TARGET_OWNER_DATABASE_URL: cells.two.server.database.ownerUrl,
        SKEIN_TARGET_MASTER_KEY: cells.two.masterKey,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let [out, said] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (killedAt.some((mark) => said.includes(mark))) child.kill('SIGKILL')
  })
  const [code] = (await once(child, 'close')) as unknown[]
  return { code, out, said }
}

test('a tenant moves under load with the real program, which is killed twice: nothing is lost, and nothing happens twice', async () => {
  const tenant = await cells.one.server.createTenant()
  const { org } = tenant.tenant
  const key = tenant.admin.key ?? ''
  const received: string[] = []
  const receiver = createServer((request, response) => {
    received.push(String(request.headers['webhook-id']))
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  must(await tenant.admin.write('integration', 'hook', { type: 'webhook', url }))
  const stops = [cells.one, cells.two].map(({ server }) => server.startAutomations())
  const runner = new ScriptedRunner({
    baseUrl: edge.url,
    apiKey: await runnerKey(tenant),
    heartbeatMs: 300,
    pollMs: 500,
    defaultScript: [{ do: 'work', ms: 50 }, { do: 'rest' }],
  }).start()
  const cookie = await cookieFor(cells.one.server, tenant.admin)
  const agentIds: unknown[] = []
  for (const agent of ['a', 'b', 'c']) {
    const request = { agentId: { agent: [agent] }, description: scriptOf({ do: 'rest' }) }
    agentIds.push((await insist('/v1/agent/spawn', key, request, agent))['agentId'])
  }
  const sent: string[] = []
  const over = new AbortController()
  const load = agentIds.map(async (agentId) => {
    while (!over.signal.aborted) {
      const followUpId = randomUUID()
      await insist('/v1/agent/queue', key, { agentId, followUpId, description: 'x' }, followUpId)
      sent.push(followUpId)
      await pause(100)
    }
  })
  await waitFor(() => sent.length > 10 || undefined, { what: 'commands', timeoutMs: 60_000 })
  expect((await admin(org, 'Draining')).code).toBe(null)
  expect((await admin(org, 'Leaving')).code).toBe(null)
  const moved = await admin(org)
  expect(moved).toMatchObject({ code: 0, said: expect.stringContaining('is served by c2') as unknown })
  const during = sent.length
  const followed = await whoami(cookie)
  expect([followed.status, followed.headers.get('set-cookie')?.split('.', 1)[0]]).toEqual([503, 'skein=c2'])
  await edge.start([...moved.out.matchAll(/^moved\.map: (.+)$/gm)].map(([, line = '']) => line))
  expect((await whoami(cookie.replace('=c1.', '=c2.'))).status).toBe(200)
  await waitFor(() => sent.length > during + 20 || undefined, {
    what: 'commands to go on',
    timeoutMs: 60_000,
  })
  over.abort()
  await Promise.all(load)
  const settled = async () => {
    const rows = await cells.two.sql<{ amount: number }>(
      `select count(*)::int as amount from follow_up where tenant_id = $1 and state <> 'DELIVERED'`,
      [tenant.id],
    )
    return rows[0]?.amount === 0 || undefined
  }
  await waitFor(settled, { what: 'all messages to be delivered', timeoutMs: 60_000 })
  const found = await cells.two.sql<{ id: string }>(
    'select follow_up_id as id from follow_up where tenant_id = $1',
    [tenant.id],
  )
  expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining(sent))
  const gaps = await cells.two.sql(
    `select agent_id from timeline where tenant_id = $1 and agent_id <> tenant_id group by agent_id
     having count(*) <> max(sequence) or count(distinct sequence) <> count(*)`,
    [tenant.id],
  )
  expect(gaps).toEqual([])
  const [events] = await cells.two.sql<{ amount: number }>(
    'select count(*)::int as amount from timeline where tenant_id = $1 and agent_id <> tenant_id',
    [tenant.id],
  )
  await waitFor(() => new Set(received).size >= (events?.amount ?? 0) || undefined, {
    what: 'all events to be delivered',
    timeoutMs: 60_000,
  })
  expect(received.length).toBe(new Set(received).size)
  await runner.stop()
  await Promise.all(stops.map((stop) => stop()))
  receiver.close()
})

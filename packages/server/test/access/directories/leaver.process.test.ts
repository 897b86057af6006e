import { createTestDatabase, machineNow, PAGE_SECRET, waitFor, type TestDatabase } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SAME_ORIGIN } from '../../browser.ts'
import { bootstrapTenant } from '../../process/first-tenant.ts'
import { send, writeDocument, type HttpAnswer } from '../../process/http.ts'
import { endProcesses, startServer } from '../../process/skein-process.ts'
import { HostileIssuer } from '../providers/hostile-issuer.ts'

const LIMIT_MS = 60_000
const TENANT = { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' }
const ACCOUNT = 'ada@acme.example.com'
const OWNER = { account: ACCOUNT, ownerProvider: 'PROVIDER_IDP_OIDC' }

let database: TestDatabase
let issuer: HostileIssuer
let admin: string

beforeAll(async () => {
  database = await createTestDatabase()
  issuer = await HostileIssuer.start()
  issuer.subject = 'ada'
  admin = (await bootstrapTenant(database.ownerUrl)).key
})

afterAll(async () => {
  await endProcesses()
  await issuer.close()
  await database.drop()
})

const settings = () => ({
  SKEIN_DATABASE_URL: database.serverUrl,
  SKEIN_OUTBOUND_ALLOW: '127.0.0.1',
  SKEIN_PUBLIC_URL: 'http://127.0.0.1:8080',
})

async function write(url: string, path: string, document: object, key = admin) {
  const { answer, document: written } = await writeDocument(url, key, path, document)
  expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBe(200)
  return written
}

function cookieOf({ headers }: Pick<HttpAnswer, 'headers'>): string {
  return [headers['set-cookie']].flat().at(-1)?.split(';', 1)[0] ?? ''
}

async function signIn(url: string): Promise<string> {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    send(url + path, { method: 'POST', headers: { ...SAME_ORIGIN, ...headers }, body })
  const started = await post('/v1/session/start', { tenant: TENANT, name: 'sso', pageSecret: PAGE_SECRET })
  const at = new URL(String(started.body['url']))
  issuer.nonce = at.searchParams.get('nonce') ?? ''
  const query = new URLSearchParams({ code: 'c0de', state: at.searchParams.get('state') ?? '' })
  const returnedTo = `/sign-in/callback/codehost_app/acme/sso?${query}`
  const finished = await post(
    '/v1/session/finish',
    { returnedTo, pageSecret: PAGE_SECRET },
    { cookie: cookieOf(started) },
  )
  expect(finished.status).toBe(200)
  const set = [finished.headers['set-cookie']].flat().find((text) => text?.startsWith('skein='))
  return set?.split(';', 1)[0] ?? ''
}

test('everything of a leaver ends within 60 s while agents run, although the server that was told is killed', async () => {
  const [told, other] = await Promise.all([startServer(settings()), startServer(settings())])
  const provider = { title: 'Acme', clientId: 'skein', clientSecret: 'client', defaultRole: 'member' }
  await write(told.url, 'secret/client', { value: 's3cret' })
  await write(told.url, 'identity-provider/sso', { ...provider, issuer: issuer.issuer })
  const scim = String((await write(told.url, 'directory/sso', {}))['key'])
  const listed = await send(`${told.url}/v1/scim/Users`, {
    method: 'POST',
    key: scim,
    body: { userName: ACCOUNT, externalId: 'ada' },
  })
  expect(listed.status).toBe(201)
  const cookie = await signIn(other.url)
  const key = String((await write(told.url, 'token/ada', { ...OWNER, role: 'member' }))['key'])
  await write(told.url, 'workspace/shop', {})
  const runner = { account: 'robot', role: 'runner', pools: ['default'] }
  const runnerKey = String((await write(told.url, 'token/runner', runner))['key'])
  const names = ['one', 'two', 'three']
  for (const name of names) {
    const agentId = { workspace: 'shop', agent: [name] }
    const body = { agentId, description: 'Work.' }
    const spawned = await send(`${other.url}/v1/agent/spawn`, { method: 'POST', key, body })
    expect(spawned.status).toBe(200)
  }
  await waitFor(
    async () => {
      const polled = await send(`${other.url}/v1/runner/poll`, {
        method: 'POST',
        key: runnerKey,
        body: { capacity: 5 },
      })
      return Array.isArray(polled.body['runs']) && polled.body['runs'].length > 0
    },
    { what: 'a run' },
  )
  const link = { workspace: 'shop', agent: ['one'], ...OWNER }
  const share = String((await write(told.url, 'share-link/one', link))['key'])
  const statuses = async () => [
    (await send(`${other.url}/v1/whoami`, { key })).status,
    (await send(`${other.url}/v1/whoami`, { key: share })).status,
    (await send(`${other.url}/v1/whoami`, { headers: { ...SAME_ORIGIN, cookie } })).status,
  ]
  expect(await statuses()).toEqual([200, 200, 200])

  const left = await send(`${told.url}/v1/scim/Users/${String(listed.body['id'])}`, {
    method: 'PATCH',
    key: scim,
    body: { Operations: [{ op: 'Replace', path: 'active', value: 'False' }] },
  })
  const leftAt = machineNow()
  told.process.signal('SIGKILL')
  expect(left.status).toBe(200)
  const phases = async () => {
    const body = { account: `idp_oidc/${ACCOUNT}`, includeTerminal: true }
    const { body: answer } = await send(`${other.url}/v1/agents`, { method: 'POST', key: admin, body })
    return (answer['entries'] as { phase: string }[]).map(({ phase }) => phase)
  }
  const seconds = () => Math.round((machineNow() - leftAt) / 100) / 10
  await waitFor(async () => (await statuses()).every((status) => status === 401), {
    what: 'keys, links and sessions to end',
    timeoutMs: LIMIT_MS,
  })
  const keysTook = seconds()
  await waitFor(async () => (await phases()).every((phase) => phase === 'PHASE_CANCELED'), {
    what: 'the agents to end',
    timeoutMs: LIMIT_MS,
  })
  expect(await phases()).toHaveLength(names.length)
  const agentsTook = seconds()
  await waitFor(
    async () => {
      const { body } = await send(`${other.url}/v1/leavers`, { key: admin })
      return (body['leavers'] as { endTime: string }[])[0]?.endTime !== ''
    },
    { what: 'everything to end', timeoutMs: LIMIT_MS },
  )
  console.log(
    `a leaver: keys ended after ${keysTook} s, agents after ${agentsTook} s, everything after ${seconds()} s`,
  )
  expect(seconds() * 1000).toBeLessThan(LIMIT_MS)
}, 120_000)

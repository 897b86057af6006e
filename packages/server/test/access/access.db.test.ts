import { OPERATIONS, type Operation, type Role } from '@skein/contract'
import { ROLES, type Permission } from '@skein/contract/facts'
import {
  startTestServer,
  type TestAnswer,
  type TestClient,
  type TestServer,
  type TestTenant,
} from '@skein/testkit'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let server: TestServer
let tenant: TestTenant
const clients = new Map<Role, TestClient>()

beforeAll(async () => {
  server = await startTestServer()
  tenant = await server.createTenant('acme')
  for (const role of ['viewer', 'member', 'admin', 'runner'] as const)
    clients.set(role, await tenant.as(role))
  clients.set('operator', tenant.operator)
  clients.set('run', await keyOfARun())
  clients.set('guest', await keyOfALink())
  clients.set('directory', await keyOfADirectory())
})

afterAll(() => server.close())

/** Only the engine makes such keys, when it starts a run; until it does, the role is put in by hand. */
async function keyOfARun(): Promise<TestClient> {
  const client = await tenant.as('viewer', 'run')
  const owner = new Client({ connectionString: server.database.ownerUrl })
  await owner.connect()
  await owner.query(`update api_key set role = 'run' where name = 'viewer-run'`)
  await owner.end()
  return client
}

async function keyOfALink(): Promise<TestClient> {
  await tenant.admin.write('workspace', 'shop', {})
  const link = { workspace: 'shop', agent: ['fix'], account: 'ada' }
  const { document } = await tenant.admin.write('share-link', 'customer', link)
  return tenant.client(String(document['key']))
}

async function keyOfADirectory(): Promise<TestClient> {
  const provider = {
    title: 'Acme',
    issuer: 'https://sso.example.com',
    clientId: 'skein',
    clientSecret: 'client',
  }
  await tenant.admin.write('secret', 'client', { value: 's3cret' })
  await tenant.admin.write('identity-provider', 'sso', provider)
  const { document } = await tenant.admin.write('directory', 'sso', {})
  return tenant.client(String(document['key']))
}

/** Who may do what, written out once more: a change of the policy has to be made here as well. */
const MAY: Readonly<Record<Permission, readonly Role[]>> = {
  'identity.read': ['viewer', 'member', 'admin', 'operator', 'runner', 'run', 'guest'],
  'session.open': ['viewer', 'member', 'admin', 'operator'],
  'share.read': ['guest'],
  'catalog.read': ['viewer', 'member', 'admin', 'operator'],
  'catalog.write': ['admin', 'operator'],
  'ceiling.write': ['operator'],
  'audit.read': ['admin', 'operator'],
  'agent.follow': ['viewer', 'member', 'admin', 'operator', 'run', 'guest'],
  'agent.read': ['viewer', 'member', 'admin', 'operator', 'run'],
  'agent.drive': ['member', 'admin', 'operator', 'run'],
  'agent.drive-any': ['admin', 'operator'],
  'run.execute': ['runner'],
  'people.provision': ['directory'],
  'tenant.manage': ['operator'],
}

/** A request that is always invalid: a caller with the permission is told what is wrong. */
const send = (client: TestClient, { method, path, example, body }: Operation): Promise<TestAnswer> => {
  const [bare = path] = (example.path ?? path).split('?')
  return client.send(method, `${bare}?nobody-reads=this`, body && example.request)
}

/** All but those that a caller without a credential gets one from. */
const operations = OPERATIONS.map((operation): readonly [string, Operation] => [
  operation.id,
  operation,
]).filter(([, { permission }]) => permission !== 'none')

test('only signing in and out, and triggers and code hosts with their own keys, are open to a request without a key', () => {
  const open = OPERATIONS.filter(({ permission }) => permission === 'none')
  expect(open.map(({ id }) => id)).toEqual([
    'signIn',
    'listSignInProviders',
    'startSignIn',
    'finishSignIn',
    'endProviderSessions',
    'startLogin',
    'finishLogin',
    'renewSession',
    'exchangeToken',
    'readInvitation',
    'acceptInvitation',
    'receiveDelivery',
    'receiveHostWebhook',
  ])
})

describe.each(operations)('%s', (_id, operation) => {
  test('is closed to a request without a key', async () => {
    const answer = await send(server.anonymous, operation)
    expect(answer).toMatchObject({ status: 401, reason: 'CREDENTIAL_MISSING' })
  })

  test('is closed to a key that is not ours', async () => {
    const answer = await send(tenant.client('skn_nobody.nothing'), operation)
    expect(answer).toMatchObject({ status: 401, reason: 'CREDENTIAL_INVALID' })
  })

  test.each(ROLES)('is open or closed to a %s as its permission says', async (role) => {
    const answer = await send(clients.get(role) ?? server.anonymous, operation)
    expect(isOpen(answer, operation)).toBe(mayOf(operation).includes(role))
  })
})

function mayOf({ permission }: Operation): readonly Role[] {
  return permission === 'none' ? ROLES : MAY[permission]
}

/** Closed in the one way there is: with the code, the reason and the permission that is missing. */
function isOpen({ status, reason, text, body }: TestAnswer, { permission }: Operation): boolean {
  const isClosed = status === 403 && reason === 'PERMISSION_MISSING' && body['code'] === 7
  if (isClosed && text.includes(`"permission":"${permission}"`)) return false
  if (status === 400 && reason === 'REQUEST_INVALID') return true
  throw new Error(`Neither open nor closed: ${text}`)
}

test('a body is not even parsed for a caller who may not send it', async () => {
  const viewer = await tenant.as('viewer', 'curious')
  const answer = await viewer.post('/v1/catalog/persona/p', '{ not json')
  expect(answer).toMatchObject({ status: 403, reason: 'PERMISSION_MISSING' })
})

import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand, type CommandRun } from './run-command.ts'

let server: TestServer
let acme: TestTenant
let url: string

beforeAll(async () => {
  server = await startTestServer()
  acme = await server.createTenant()
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(() => server.close())

const run = (key: string | undefined, ...args: string[]): Promise<CommandRun> =>
  runCommand(['invite', ...args], { SKEIN_URL: url, SKEIN_API_KEY: key ?? '' })
const skein = (...args: string[]) => run(acme.admin.key, ...args)

interface Created {
  readonly id: string
  readonly url: string
}

async function create(...args: string[]): Promise<Created> {
  const { stdout, exitCode } = await skein('create', '--json', ...args)
  expect(exitCode).toBe(0)
  return JSON.parse(stdout) as Created
}

const codeOf = (link: string) => new URL(link).hash.slice(1)
const read = (link: string) => server.anonymous.post('/v1/invitation', { code: codeOf(link) })

test('prints the link alone, which invites one person, and the list shows who came', async () => {
  const { stdout, stderr } = await skein('create', '--role', 'viewer', '--description', 'Grace')
  expect(stdout).toMatch(/^\S+\/invitation#ski_\S+\n$/)
  expect(stderr).toContain('It works once')
  expect((await read(stdout.trim())).body).toMatchObject({ role: 'viewer', invitedBy: 'ada' })
  const body = { code: codeOf(stdout.trim()), account: 'grace', pageSecret: 'x'.repeat(43) }
  expect((await server.anonymous.post('/v1/invitation/accept', body)).status).toBe(200)
  expect((await skein('ls')).stdout).toMatch(/viewer +- +accepted +grace .* Grace/)
})

test('a revoked link no longer works', async () => {
  const { id, url: link } = await create()
  expect(await skein('revoke', id)).toMatchObject({ exitCode: 0, stdout: `Revoked ${id}.\n` })
  expect((await read(link)).reason).toBe('INVITATION_NOT_FOUND')
  expect((await skein('ls')).stdout).toMatch(new RegExp(`${id} .*revoked`))
})

test('says what is wrong with a role or a time', async () => {
  expect(await skein('create', '--role', 'operator')).toMatchObject({ exitCode: 2, stdout: '' })
  expect((await skein('create', '--expires-in', 'soon')).exitCode).toBe(2)
})

test('an operator gives a reason, which is in the audit log', async () => {
  const refused = await run(acme.operator.key, 'create')
  expect(refused.exitCode).not.toBe(0)
  expect(refused.stderr).toContain('justification')
  const created = await run(acme.operator.key, 'create', '--json', '--because', 'the only admin left')
  const { id } = JSON.parse(created.stdout) as Created
  expect((await run(acme.operator.key, 'revoke', id, '--because', 'a mistake')).exitCode).toBe(0)
  const { body } = await acme.admin.get('/v1/audit', { query: { account: 'olga', kind: 'invitation' } })
  expect(body['entries']).toMatchObject([
    { operation: 'revokeInvitation', justification: 'a mistake' },
    { operation: 'createInvitation', justification: 'the only admin left' },
  ])
})

import { startTestServer, type TestServer, type TestTenant } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand, type CommandRun } from './run-command.ts'

let server: TestServer
let home: TestTenant
let url: string

beforeAll(async () => {
  server = await startTestServer()
  home = await server.createTenant()
  url = await server.app.listen({ host: '127.0.0.1', port: 0 })
})

afterAll(() => server.close())

const skein = (...args: string[]): Promise<CommandRun> =>
  runCommand(['tenants', ...args], { SKEIN_URL: url, SKEIN_API_KEY: home.operator.key ?? '' })

test('an operator creates, suspends, resumes, exports and deletes a tenant from the command line', async () => {
  const created = await skein('create', 'acme', '--admin', 'ada', '--because', 'a new customer')
  expect(created).toMatchObject({ exitCode: 0 })
  const admin = home.client(created.stdout.trim())
  expect((await admin.get('/v1/whoami')).body).toMatchObject({ account: 'ada', role: 'admin' })
  expect((await skein('ls')).stdout).toMatch(/codehost_app +acme +active/)

  expect((await skein('suspend', 'acme', '--because', 'x')).stdout).toBe('Suspended acme.\n')
  expect((await skein('ls')).stdout).toMatch(/acme +suspended/)
  expect((await skein('resume', 'acme', '--because', 'x')).stdout).toBe('Resumed acme.\n')

  const exported = await skein('export', 'acme', '--because', 'x')
  expect(exported).toMatchObject({ exitCode: 0, stderr: '' })
  const lines = exported.stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject(
    lines.map((_, index) => ({
      type: index === 0 ? 'EXPORT_STARTED' : index === lines.length - 1 ? 'EXPORT_FINISHED' : 'EXPORT_ROW',
    })),
  )

  const wrong = await skein('delete', 'acme', '--confirm', 'acne', '--because', 'x')
  expect(wrong).toMatchObject({ exitCode: 2, stdout: '' })
  expect((await skein('delete', 'acme', '--confirm', 'acme', '--because', 'x')).stdout).toContain(
    'Deleting acme.',
  )
  expect((await skein('ls')).stdout).toMatch(/acme +deleting/)
  expect((await skein('suspend', 'nobody', '--because', 'x')).stderr).toContain(
    'Tenant nobody with the provider',
  )
})

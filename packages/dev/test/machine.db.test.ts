import { Skein, type RunnerEntry } from '@skein/client'
import { startTestServer, TestClient, type TestServer } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loosenMachine } from '../src/furnish-tenant.ts'
import { chooseSandbox, expectRunner, explainNoBackend, findUnheldLimits } from '../src/runner-offers.ts'

let server: TestServer
let skein: Skein

beforeAll(async () => {
  server = await startTestServer()
  const { admin } = await server.createTenant()
  const baseUrl = await server.app.listen({ host: '127.0.0.1', port: 0 })
  skein = new Skein({ baseUrl, apiKey: admin.key ?? '' })
})

afterAll(() => server.close())

const readMachine = async () => {
  const { document, isBuiltIn } = await skein.catalog.get('vm-profile', 'default')
  return { isBuiltIn, cpus: document['cpus'], memoryMib: document['memoryMib'], diskMib: document['diskMib'] }
}
const builtIn = { isBuiltIn: true, cpus: 2, memoryMib: 4096, diskMib: 20_480 }

const sandbox = (name: string, problem = '', limits: RunnerEntry['sandboxes'][number]['limits'] = []) => ({
  name,
  problem,
  limits,
  networks: [],
  notes: [],
})

const backend = (name: string, problem: string) => ({ name, problem, version: '', keyProblem: '' })

test('a runner without any coding agent is told with what to install, and one with some is not', () => {
  const missing = [
    backend('a', 'Claude is not installed. Run x.'),
    backend('b', 'Codex is not installed. Run y.'),
  ]
  expect(explainNoBackend({ backends: missing })).toMatch(
    /no agent can start yet.*\n {2}backend a: Claude is not installed\. Run x\.\n {2}backend b: Codex/,
  )
  expect(explainNoBackend({ backends: [...missing, backend('c', '')] })).toBeUndefined()
})

test('a runner’s offers say which limits its sandbox cannot enforce', () => {
  const sandboxes = [
    sandbox('process', '', [{ name: 'cpus', problem: 'There is no cgroup.' }]),
    sandbox('bubblewrap', '', [
      { name: 'cpus', problem: '' },
      { name: 'memoryMib', problem: 'There is no cgroup: make one.' },
    ]),
  ]
  expect(findUnheldLimits({ sandboxes }, 'bubblewrap')).toEqual([
    { field: 'memoryMib', reason: 'There is no cgroup: make one.' },
  ])
})

describe('the sandbox', () => {
  const both = [sandbox('process'), sandbox('bubblewrap')]
  const lax = [sandbox('process'), sandbox('bubblewrap', 'it is not installed')]

  test('is bubblewrap if that works, and process only if it does not', () => {
    expect(chooseSandbox({ sandboxes: both }, undefined)).toEqual({ sandbox: 'bubblewrap' })
    const { sandbox: chosen, warning } = chooseSandbox({ sandboxes: lax }, undefined)
    expect(chosen).toBe('process')
    expect(warning).toContain('because it is not installed')
  })

  test('is not abandoned for a problem that all of them have', () => {
    const full = [sandbox('process', 'the disk is full'), sandbox('bubblewrap', 'the disk is full')]
    expect(chooseSandbox({ sandboxes: full }, undefined)).toEqual({
      sandbox: 'bubblewrap',
      warning: 'no agent can start for now: the disk is full',
    })
  })

  test('is the one that was asked for, or an error that says why not', () => {
    expect(chooseSandbox({ sandboxes: both }, 'process')).toEqual({ sandbox: 'process' })
    expect(() => chooseSandbox({ sandboxes: lax }, 'bubblewrap')).toThrow('bubblewrap: it is not installed')
    expect(() => chooseSandbox({ sandboxes: [] }, 'bubblewrap')).toThrow('bubblewrap: it is not offered')
  })
})

test('a runner is ready once it asks for work, and one of the same name from before is not taken for it', async () => {
  const { document } = await skein.catalog.put('token', 'runner', {
    account: 'runner',
    role: 'runner',
    pools: ['default'],
  })
  const runner = new TestClient(server.app, String(document['key']))
  const offers = { name: 'host', capacity: 1, backends: [], sandboxes: [] }
  const poll = (startTime: string) =>
    runner.post('/v1/runner/poll', { capacity: 0, offers: { ...offers, startTime } })
  await poll('2026-11-15T09:00:00.000Z')
  const findRunner = await expectRunner(skein)
  expect(await findRunner()).toBeUndefined()
  await poll('2026-11-15T09:00:05.000Z')
  expect(await findRunner()).toMatchObject({ name: 'host', startTime: '2026-11-15T09:00:05.000Z' })
})

test('the default machine does without what cannot be held here, and gets it back when it can', async () => {
  const { catalog } = skein
  expect(await loosenMachine(catalog, [])).toBe(false)
  expect(await readMachine()).toEqual(builtIn)
  expect(await loosenMachine(catalog, ['cpus', 'memoryMib'])).toBe(true)
  expect(await readMachine()).toEqual({ ...builtIn, isBuiltIn: false, cpus: 0, memoryMib: 0 })
  expect(await loosenMachine(catalog, ['cpus'])).toBe(true)
  expect(await readMachine()).toEqual({ ...builtIn, isBuiltIn: false, cpus: 0 })
  expect(await loosenMachine(catalog, [])).toBe(false)
  expect(await readMachine()).toEqual(builtIn)
})

test('a machine that the person has written stays as it is', async () => {
  await skein.catalog.put('vm-profile', 'default', { memoryMib: 512 })
  expect(await loosenMachine(skein.catalog, ['memoryMib'])).toBe(false)
  expect(await readMachine()).toMatchObject({ memoryMib: 512 })
})

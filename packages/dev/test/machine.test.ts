import { Skein } from '@skein/client'
import { startTestServer, type TestServer } from '@skein/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loosenMachine } from '../src/furnish-tenant.ts'
import { findUnheldLimits } from '../src/runner-log.ts'

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

test('the log of a runner tells which limits its sandbox cannot hold', () => {
  const log = [
    '2026-11-15T09:00:00.000Z cannot offer the limit cpus in process: There is no cgroup.',
    '2026-11-15T09:00:00.000Z cannot offer the limit memoryMib in bubblewrap: There is no cgroup: make one.',
    '2026-11-15T09:00:00.000Z ready: backends a; sandboxes process, bubblewrap; http://127.0.0.1:8080',
  ].join('\n')
  expect(findUnheldLimits(log, 'bubblewrap')).toEqual([
    { field: 'memoryMib', reason: 'There is no cgroup: make one.' },
  ])
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

import { SkeinError } from '@skein/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SchemaChecker } from '../src/index.ts'

let schemas: SchemaChecker
beforeEach(() => void (schemas = new SchemaChecker()))
afterEach(() => schemas.close())

const list = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join(',')

/** Within every bound, and two seconds of work: each name is compared with all the others. */
const slowSchema = (salt: string) =>
  `{"$comment":"${salt}","dependentRequired":{"a":[${list(4_900, (index) => `"r${index}"`)}]}}`

test('a schema is accepted, and an invalid one is rejected with the reason', async () => {
  expect(await schemas.problemOf('t', '')).toBeUndefined()
  expect(await schemas.problemOf('t', '{"type":"object"}')).toBeUndefined()
  expect(await schemas.problemOf('t', '{"type":"thing"}')).toContain('is not a JSON Schema')
  expect(await schemas.problemOf('t', '[]')).toBe('must be a JSON object')
})

test('a schema that takes too long is refused without the event loop waiting for it', async () => {
  await schemas.problemOf('t', '{}')
  const before = process.threadCpuUsage()
  expect(await schemas.problemOf('t', slowSchema('x'))).toContain('takes too long to compile')
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(100)
  expect(await schemas.problemOf('t', '{"type":"string"}')).toBeUndefined()
})

test('the verdict on a schema is remembered', async () => {
  await schemas.problemOf('t', slowSchema('x'))
  const repeated = Array.from({ length: 200 }, () => schemas.problemOf('t', slowSchema('x')))
  const problems = await Promise.all(repeated)
  expect(new Set(problems)).toEqual(new Set([expect.stringContaining('takes too long')]))
})

test('a tenant with many slow schemas waits behind itself, and beyond its share is refused', async () => {
  await schemas.problemOf('t', '{}')
  const hostile = Array.from({ length: 60 }, (_, index) =>
    schemas.problemOf('hostile', slowSchema(`${index}`)),
  )
  const outcomes = Promise.allSettled(hostile)
  expect(await schemas.problemOf('neighbour', '{"type":"number"}')).toBeUndefined()
  await schemas.close()
  const reasons = (await outcomes).map((outcome) =>
    outcome.status === 'rejected' && outcome.reason instanceof SkeinError ? outcome.reason.reason : 'done',
  )
  expect(reasons.slice(-20)).toEqual(Array.from({ length: 20 }, () => 'RATE_LIMITED'))
  expect(reasons.filter((reason) => reason === 'done').length).toBeLessThan(5)
}, 300_000)

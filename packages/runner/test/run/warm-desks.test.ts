import { afterEach, expect, test } from 'vitest'
import { Desk } from '../../src/run/desk.ts'
import { WarmDesks } from '../../src/run/warm-desks.ts'
import type { Program } from '../../src/backends/backend.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'

const facts = { fingerprint: 'same', snapshot: 'saved' }
const desks = new WarmDesks({ warmMs: 60_000, room: 2 })

afterEach(() => desks.closeAll())

function openDesk() {
  const program = { isAlive: true, close: async () => void (program.isAlive = false) }
  const sandbox = { dispose: async () => {} }
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- all that a desk uses to close
  const parts = { program: program as unknown as Program, sandbox: sandbox as unknown as Sandbox }
  const desk = new Desk({ ...facts, ...parts, token: 'token', hasConversation: true })
  return { desk, program }
}

test('a desk that the next run has taken is not closed by the run before', async () => {
  const { desk, program } = openDesk()
  await desks.put('agent', desk)
  expect(await desks.take('agent', facts)).toBe(desk)
  await desks.drop('agent', desk)
  expect(program.isAlive).toBe(true)
  await desks.put('agent', desk)
  await desks.drop('agent', openDesk().desk)
  expect(program.isAlive).toBe(true)
})

test('a desk that no run has taken is closed, and the next run gets none', async () => {
  const { desk, program } = openDesk()
  await desks.put('agent', desk)
  await desks.drop('agent', desk)
  expect(program.isAlive).toBe(false)
  expect(desks.size).toBe(0)
  expect(await desks.take('agent', facts)).toBeUndefined()
})

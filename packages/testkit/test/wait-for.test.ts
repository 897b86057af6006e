import { expect, test } from 'vitest'
import { waitFor } from '../src/wait-for.ts'

test('waitFor returns the first truthy value', async () => {
  const values = [undefined, 0, '', 'found', 'later']
  expect(await waitFor(() => values.shift(), { what: 'a value', intervalMs: 1 })).toBe('found')
})

test('waitFor takes a condition that throws for one that is not met yet', async () => {
  let calls = 0
  const condition = async () => {
    calls += 1
    if (calls < 3) throw new Error('not yet')
    return calls
  }
  expect(await waitFor(condition, { what: 'the third call', intervalMs: 1 })).toBe(3)
})

test('a failed waitFor names what it waited for, for how long, and the last value', async () => {
  const waiting = waitFor(() => null, { what: 'the agent to finish', timeoutMs: 20, intervalMs: 1 })
  await expect(waiting).rejects.toThrow(/^Waited \d+ ms for the agent to finish\. Last value: null$/)
})

test('a failed waitFor names the last error and keeps it as the cause', async () => {
  const cause = new Error('connection refused')
  const condition = () => {
    throw cause
  }
  const failure = await waitFor(condition, { what: 'the server', timeoutMs: 0 }).catch(
    (error: unknown) => error,
  )
  expect(failure).toMatchObject({ cause })
  expect(String(failure)).toContain('Last error: connection refused')
})

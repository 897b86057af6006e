import { afterEach, expect, test } from 'vitest'
import { LimitedThread } from '../src/index.ts'

const start = (limits = {}) =>
  new LimitedThread<string, unknown>(import.meta.url, 'hostile-jobs', {
    cpuMs: 100,
    wallMs: 20_000,
    heapMib: 64,
    ...limits,
  })

let thread = start()
afterEach(() => thread.close())

test('a job is answered', async () => {
  thread = start()
  expect(await thread.run('sum')).toEqual({ kind: 'done', result: 2 })
})

test.each(['spin', 'match', 'fill'])(
  'a job that would %s forever is ended, and the next one is answered',
  async (job) => {
    thread = start({ cpuMs: job === 'fill' ? 20_000 : 100 })
    const [hostile, other] = await Promise.all([thread.run(job), thread.run('sum')])
    expect(hostile).toEqual({ kind: 'exceeded' })
    expect(other).toEqual({ kind: 'done', result: 2 })
  },
)

test('a busy machine does not count against the job', async () => {
  thread = start({ cpuMs: 60_000, wallMs: 50 })
  expect(await thread.run('spin')).toEqual({ kind: 'late' })
  thread = start()
  expect(await thread.run('sum')).toEqual({ kind: 'done', result: 2 })
})

test('a fault in the thread reaches the caller, and the next job is answered', async () => {
  thread = start()
  await expect(thread.run('fail')).rejects.toThrow('a fault of ours')
  expect(await thread.run('sum')).toEqual({ kind: 'done', result: 2 })
})

test('a thread that is closed in the meantime answers late', async () => {
  thread = start({ cpuMs: 60_000 })
  await thread.run('sum')
  const answer = thread.run('spin')
  await Promise.resolve()
  await thread.close()
  expect(await answer).toEqual({ kind: 'late' })
})

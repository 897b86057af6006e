import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { LimitedProcess } from '../src/index.ts'

const start = (limits = {}) =>
  new LimitedProcess<string, unknown>(import.meta.url, 'hostile-jobs', {
    cpuMs: 100,
    wallMs: 20_000,
    heapMib: 64,
    ...limits,
  })

let limited = start()
afterEach(() => limited.close())

test('a job is answered', async () => {
  limited = start()
  expect(await limited.run('sum')).toEqual({ kind: 'done', result: 2 })
})

test.each(['spin', 'match', 'fill'])(
  'a job that would %s forever is ended, and the next one is answered',
  async (job) => {
    limited = start({ cpuMs: job === 'fill' ? 20_000 : 100 })
    const [hostile, other] = await Promise.all([limited.run(job), limited.run('sum')])
    expect(hostile).toEqual({ kind: 'exceeded' })
    expect(other).toEqual({ kind: 'done', result: 2 })
  },
)

test('a busy machine does not count against the job', async () => {
  limited = start({ cpuMs: 60_000, wallMs: 50 })
  expect(await limited.run('spin')).toEqual({ kind: 'late' })
  limited = start()
  expect(await limited.run('sum')).toEqual({ kind: 'done', result: 2 })
})

test('a fault in a job reaches the caller, and the next job is answered', async () => {
  limited = start()
  await expect(limited.run('fail')).rejects.toThrow('a fault of ours')
  expect(await limited.run('sum')).toEqual({ kind: 'done', result: 2 })
})

test('a process that is closed in the meantime answers late', async () => {
  limited = start({ cpuMs: 60_000 })
  await limited.run('sum')
  const answer = limited.run('spin')
  await Promise.resolve()
  await limited.close()
  expect(await answer).toEqual({ kind: 'late' })
})

test('megabytes go in and come back', async () => {
  limited = start({ cpuMs: 5_000 })
  const text = 'x'.repeat(16 * 1024 * 1024)
  expect(await limited.run(`echo ${text}`)).toEqual({ kind: 'done', result: text })
})

test('a job that always runs out of memory never ends the process that asked', async () => {
  limited = start({ cpuMs: 20_000, heapMib: 16 })
  for (let round = 0; round < 10; round++) {
    expect(await limited.run(round % 2 === 0 ? 'fill' : 'grow')).toEqual({ kind: 'exceeded' })
  }
})

test('a signal to all processes of a service does not fail the job', async () => {
  limited = start({ cpuMs: 5_000 })
  const pid = Number(await doneResult('pid'))
  const answer = limited.run('busy')
  process.kill(pid, 'SIGTERM')
  expect(await answer).toEqual({ kind: 'done', result: 'busy' })
  expect(await doneResult('pid')).toBe(pid)
})

test('a job in a loop ends even when the process that asked is killed', async () => {
  const asking = spawn(process.execPath, [fileURLToPath(new URL('./killed-asker.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [pid] = (await once(asking.stdout.setEncoding('utf8'), 'data')) as [string]
  expect(await isRunning(Number(pid))).toBe(true)
  asking.kill('SIGKILL')
  await vi.waitFor(async () => expect(await isRunning(Number(pid))).toBe(false), { timeout: 20_000 })
})

async function doneResult(job: string): Promise<unknown> {
  const outcome = await limited.run(job)
  return outcome.kind === 'done' ? outcome.result : outcome
}

async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && !stat.includes(') Z ')
}

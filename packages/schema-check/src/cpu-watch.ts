import { workerData } from 'node:worker_threads'
import { JobClock } from './job-clock.ts'

interface Watched {
  readonly shared: SharedArrayBuffer
  readonly cpuMs: number
}

const MIN_WAIT_MS = 5

/**
 * Kills its own process when a job has used its CPU time. The parent could not: it may be dead, and a loop of the job
 * would run forever.
 */
// eslint-disable-next-line typescript/no-unsafe-type-assertion -- written by answerJobs
const { shared, cpuMs } = workerData as Watched
const clock = new JobClock(shared)
for (;;) {
  clock.waitForJob()
  const leftMs = clock.leftMs(cpuMs)
  if (leftMs > 0) clock.waitForEnd(Math.max(leftMs, MIN_WAIT_MS))
  else if (clock.condemn()) process.kill(process.pid, 'SIGKILL')
}

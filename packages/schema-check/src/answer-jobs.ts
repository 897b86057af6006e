import { Worker } from 'node:worker_threads'
import { JobClock } from './job-clock.ts'

export type Answer<Result> =
  { readonly kind: 'done'; readonly result: Result } | { readonly kind: 'failed'; readonly message: string }

/** For the entry module of a process: processes the jobs of its LimitedProcess one by one. */
// eslint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the jobs of this process are
export function answerJobs<Job>(work: (job: Job) => unknown): void {
  // Service managers signal whole groups of processes. This one ends when its parent closes the channel.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const clock = new JobClock()
  const cpuMs = Number(process.argv[2])
  const entry = new URL(`./cpu-watch.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url)
  const watch = new Worker(entry, { workerData: { shared: clock.shared, cpuMs } })
  watch.unref()
  process.on('message', (job: Job) => {
    clock.start()
    const answer = answerTo(work, job)
    clock.stop()
    process.send?.(answer)
  })
  // Loading the modules must not count against the first job's limits.
  watch.once('online', () => process.send?.('ready'))
}

function answerTo<Job, Result>(work: (job: Job) => Result, job: Job): Answer<Result> {
  try {
    return { kind: 'done', result: work(job) }
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : 'unknown' }
  }
}

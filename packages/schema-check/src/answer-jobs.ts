import { parentPort, type Transferable } from 'node:worker_threads'

/** For the entry module of a thread: processes the jobs of its LimitedThread one by one. */
export function answerJobs<Job, Result>(
  work: (job: Job) => Result,
  { transferOf = () => [] }: { transferOf?: (result: Result, job: Job) => readonly Transferable[] } = {},
): void {
  parentPort?.on('message', (job: Job) => {
    const result = work(job)
    parentPort?.postMessage(result, transferOf(result, job))
  })
  // Loading the modules must not count against the first job's limits.
  parentPort?.postMessage('ready', [])
}

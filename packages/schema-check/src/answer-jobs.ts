import { parentPort, type Transferable } from 'node:worker_threads'

/** For the entry of a thread: answers the jobs of its LimitedThread, one after the other. */
export function answerJobs<Job, Result>(
  work: (job: Job) => Result,
  { transferOf = () => [] }: { transferOf?: (result: Result, job: Job) => readonly Transferable[] } = {},
): void {
  parentPort?.on('message', (job: Job) => {
    const result = work(job)
    parentPort?.postMessage(result, transferOf(result, job))
  })
  // Loading the modules does not count against the limits of the first job.
  parentPort?.postMessage('ready', [])
}

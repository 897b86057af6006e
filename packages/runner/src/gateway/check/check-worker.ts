import { parentPort } from 'node:worker_threads'
import { checkRequest, type CheckJob } from './check-request.ts'

/** Runs in a thread of its own: what an agent sends must not stop the others while it is being read. */
parentPort?.on('message', (job: CheckJob) => {
  const checked = checkRequest(job)
  parentPort?.postMessage(checked, checked.isAllowed ? [checked.body.buffer] : [])
})

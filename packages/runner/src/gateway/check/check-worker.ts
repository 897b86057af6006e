import { answerJobs } from '@skein/schema-check'
import { checkRequest } from './check-request.ts'

/** Runs in a thread of its own: what an agent sends must not stop the others while it is being read. */
answerJobs(checkRequest, {
  transferOf: (checked) => (checked.isAllowed ? [checked.body.buffer] : []),
})

import { answerJobs } from '@skein/schema-check'
import { checkRequest } from './check-request.ts'

/** Runs in a separate thread: parsing one agent's request must not block the others. */
answerJobs(checkRequest, {
  transferOf: (checked) => (checked.isAllowed ? [checked.body.buffer] : []),
})

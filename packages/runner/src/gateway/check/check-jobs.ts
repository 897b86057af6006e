import { answerJobs } from '@skein/schema-check'
import { checkRequest } from './check-request.ts'

/** Runs in a separate process: parsing one agent's request must neither block nor end the others. */
answerJobs(checkRequest)

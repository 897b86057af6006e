export { answerJobs } from './answer-jobs.ts'
export { LimitedProcess, type JobOutcome } from './limited-process.ts'
export { SchemaProcess } from './schema-process.ts'

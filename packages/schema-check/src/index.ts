export { answerJobs } from './answer-jobs.ts'
export { LimitedThread, type ThreadOutcome } from './limited-thread.ts'
export { SchemaThread } from './schema-thread.ts'

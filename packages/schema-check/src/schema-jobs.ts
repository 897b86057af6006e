import { LRUCache } from 'lru-cache'
import { answerJobs } from './answer-jobs.ts'
import { compileOutputSchema, outputSchemaProblem } from './output-schema.ts'
import type { SchemaJob } from './schema-process.ts'

/** An answer is often checked twice: when it arrives, and again after a correction. */
const compiled = new LRUCache<string, ReturnType<typeof compileOutputSchema>>({ max: 50 })

answerJobs(({ schema, output }: SchemaJob) =>
  output === undefined ? outputSchemaProblem(schema) : findMismatch(schema, output),
)

function findMismatch(schema: string, output: string): string | undefined {
  const check = compiled.get(schema) ?? compileOutputSchema(schema)
  compiled.set(schema, check)
  return check(JSON.parse(output))
}

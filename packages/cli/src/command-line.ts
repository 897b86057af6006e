import { processIo } from './io.ts'
import { createProgram } from './program.ts'
import { reportError } from './report-error.ts'
import { suggestAgent } from './suggest-agent.ts'

const { program, context } = createProgram(processIo())
try {
  await program.parseAsync()
  process.exitCode = context.exitCode
} catch (error) {
  process.exitCode = await reportError(error, context)
  await suggestAgent(error, context)
}

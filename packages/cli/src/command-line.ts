import { processIo } from './io.ts'
import { createProgram } from './program.ts'
import { reportError } from './report-error.ts'
import { suggestNames } from './suggest-names.ts'

const args = process.argv.slice(2)
const { program, context } = createProgram(processIo(), args)
try {
  if (args.length === 0) program.outputHelp()
  else await program.parseAsync()
  process.exitCode = context.exitCode
} catch (error) {
  process.exitCode = await reportError(error, context)
  await suggestNames(error, context)
}

import type { Io } from '../io.ts'
import { createProgram } from './program.ts'
import { reportError } from '../report-error.ts'
import { suggestNames } from './suggest-names.ts'

/** Runs a command line and returns the exit code. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  const { program, context } = createProgram(io, args)
  try {
    if (args.length === 0) program.outputHelp()
    else await program.parseAsync(args, { from: 'user' })
    return context.exitCode
  } catch (error) {
    const exitCode = await reportError(error, context)
    await suggestNames(error, context)
    return exitCode
  }
}

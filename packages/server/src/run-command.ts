import { ConfigError, SkeinError } from '@skein/contract'
import { MigrationError } from '@skein/store'

/** What the operator can fix gets a plain message; anything else is our bug and keeps its stack. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ConfigError || error instanceof MigrationError) return error.message
  if (error instanceof SkeinError && error.code === 'UNAVAILABLE') {
    return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message
  }
  return error.stack ?? error.message
}

/**
 * Ends the process with 1 and a message if the command fails. Help is given wherever it is asked for: `serve --help` must
 * not start a server.
 */
export async function runCommand(usage: string, main: (args: string[]) => Promise<void>): Promise<void> {
  const args = process.argv.slice(2)
  if (args[0] === 'help' || args.includes('--help')) {
    process.stdout.write(`${usage}\n`)
    return
  }
  try {
    await main(args)
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`)
    process.exitCode = 1
  }
}

import type { DevSandbox } from '@skein/dev'
import { InvalidArgumentError, Option, type Command } from 'commander'
import type { CommandContext } from '../command-line/command-context.ts'
import { DEV_DEFAULTS } from '../dev/options.ts'
import { requireDev } from '../dev/require-dev.ts'
import { withExample } from '../command-line/examples.ts'

interface DevCommandOptions {
  readonly port: number
  readonly dataDir: string
  readonly fresh?: true
  readonly runner: boolean
  readonly real?: true
  readonly simulate?: true
  readonly sandbox?: DevSandbox
}

export function registerDev(program: Command, context: CommandContext): void {
  const command = program
    .command('dev')
    .summary('run a complete Skein on this machine')
    .description(
      'Starts PostgreSQL, the server, a runner and a model simulator. Creates a tenant, a key and a sample ' +
        'workspace. A provider key in the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY) is used instead of the ' +
        'simulator only if you confirm or pass --real. Ctrl-C stops everything. ' +
        'Needs the package @skein/dev.',
    )
    .option('--port <number>', 'where the server listens; 0 picks a free port', parsePort, DEV_DEFAULTS.port)
    .option('--data-dir <folder>', 'folder for data kept between starts', DEV_DEFAULTS.dataDir)
    .option('--fresh', 'delete all data first')
    .option('--real', 'use the provider keys from the environment without asking; runs cost money')
    .option('--simulate', 'use the simulator, whatever keys the environment has')
    .option('--no-runner', 'do not start a runner')
    .addOption(
      new Option('--sandbox <kind>', 'how agents are isolated; default: bubblewrap if it works').choices([
        'process',
        'bubblewrap',
      ]),
    )
  withExample(command, 'skein dev').action(async (options: DevCommandOptions) => {
    await requireDev()
    // Loaded on demand: no other command needs a database.
    const { runDev } = await import('../dev/run-dev.ts')
    const { port, dataDir, fresh = false, real = false, simulate = false, runner, sandbox } = options
    context.exitCode = await runDev(
      { port, dataDir, fresh, real, simulate, runner, json: context.isJson, ...(sandbox && { sandbox }) },
      context.io,
    )
  })
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Write 0 to 65535.')
  return Number(text)
}

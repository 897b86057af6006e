import type { Command } from 'commander'
import type { CommandContext } from '../command-line/command-context.ts'
import type { Finding } from '../doctor/finding.ts'
import { withExample } from '../command-line/examples.ts'
import { exitCodeOf } from '../exit-codes.ts'
import type { Io } from '../io.ts'

export function registerDoctor(program: Command, context: CommandContext): void {
  const command = program
    .command('doctor')
    .summary('diagnose problems and suggest fixes')
    .description(
      'Checks the profile, the server, the key, the database, the workspaces, and what runners offer: their ' +
        'sandboxes, the programs of their backends and whether their provider keys work.',
    )
    .option('--providers', 'list which model providers and logins work, and which do not')
  withExample(command, 'skein doctor').action(async ({ providers }: { readonly providers?: true }) => {
    if (providers) return printProviders(context)
    // Loaded on demand, because it needs the contract's schemas.
    const { diagnose } = await import('../diagnose.ts')
    const findings = await diagnose(context, Date.now())
    context.print({ findings }, () =>
      findings.map((finding) => formatFinding(context.io, finding)).join('\n'),
    )
    if (findings.some(({ isFault }) => isFault)) context.exitCode = exitCodeOf('unhealthy')
  })
}

async function printProviders(context: CommandContext): Promise<void> {
  const { MODEL_PROVIDERS } = await import('@skein/contract')
  const { io } = context
  context.print({ providers: MODEL_PROVIDERS }, () =>
    MODEL_PROVIDERS.map(({ name, backends, how }) => {
      const mark = backends === '' ? io.paint('red', '✘') : io.paint('green', '✔')
      return `${mark} ${name}${backends === '' ? '' : `: backend ${backends}`}\n  ${how}`
    }).join('\n'),
  )
}

function formatFinding(io: Io, { check, isFault, message, fix }: Finding): string {
  const line = `${isFault ? io.paint('red', '✘') : io.paint('green', '✔')} ${check}: ${message}`
  return fix === '' ? line : `${line}\n  ${io.paint('yellow', 'Fix:')} ${fix}`
}

import type { Command } from 'commander'
import type { CommandContext } from '../command-line/command-context.ts'
import { withExample } from '../command-line/examples.ts'
import { requireDev } from '../dev/require-dev.ts'

export function registerDemo(program: Command, context: CommandContext): void {
  const command = program
    .command('demo')
    .summary('show six agents working on a small repository')
    .description(
      'Spawns agents that fix a test, split their work among children, ask, fail, work for a long time and wait for a ' +
        'message. They have their own workspace and repository, and a simulator stands in for the model: it ' +
        'costs nothing and needs no key. Uses the skein dev of this folder, or starts one that keeps running in the ' +
        'background until --clean. Needs the package @skein/dev.',
    )
    .option('--clean', 'remove what the demo created, and nothing else')
  withExample(command, 'skein demo').action(async ({ clean }: { readonly clean?: true }) => {
    await requireDev()
    // Loaded on demand: no other command starts a Skein.
    if (clean) {
      const { cleanDemo } = await import('../demo/clean-demo.ts')
      return cleanDemo(context)
    }
    const { runDemo } = await import('../demo/run-demo.ts')
    return runDemo(context)
  })
}

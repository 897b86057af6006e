import type { Command } from 'commander'

const examples = new WeakMap<Command, string>()

/** One line to copy, shown in the command's help and in docs/cli.md. */
export function withExample(command: Command, example: string): Command {
  examples.set(command, example)
  return command.addHelpText('after', `\nExample:\n  $ ${example}`)
}

export function exampleOf(command: Command): string | undefined {
  return examples.get(command)
}

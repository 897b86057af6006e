import type { Argument, Command, Option } from 'commander'

/** Possible completions: fixed words, and names only the server knows. */
export interface Completion {
  readonly words: readonly string[]
  /** `agent`, `kind`, or a kind of the catalog. */
  readonly names?: string
}

const NOTHING: Completion = { words: [] }

/** Options whose value is a name. */
const NAMED_BY_OPTION: Readonly<Record<string, string>> = {
  '--child-of': 'agent',
  '--workspace': 'workspace',
  '--persona': 'persona',
  '--pool': 'pool',
}

/** `typed` contains the words after `skein`, ending with the one under the cursor. */
export function completeWords(program: Command, typed: readonly string[]): Completion {
  const before = typed.slice(0, -1)
  const current = typed.at(-1) ?? ''
  let command = program
  const values: string[] = []
  for (let index = 0; index < before.length; index++) {
    const word = before[index] ?? ''
    if (word.startsWith('-')) {
      if (!takesValue(findOption(program, command, word)) || word.includes('=')) continue
      if (index === before.length - 1) return completeValue(word)
      index += 1
      continue
    }
    const below = values.length === 0 ? command.commands.find((child) => child.name() === word) : undefined
    if (below) command = below
    else values.push(word)
  }
  if (current.startsWith('-')) return { words: optionsOf(program, command) }
  if (command.commands.length > 0 && values.length === 0) return { words: commandsOf(command) }
  return completeArgument(command, values)
}

function completeArgument(command: Command, values: readonly string[]): Completion {
  const { registeredArguments } = command
  const last = registeredArguments.at(-1)
  const argument = registeredArguments[values.length] ?? (last?.variadic === true ? last : undefined)
  if (!argument) return NOTHING
  if (argument.argChoices) return { words: argument.argChoices }
  return { words: [], ...namesFor(command, argument, values) }
}

function namesFor(
  command: Command,
  argument: Argument,
  values: readonly string[],
): Pick<Completion, 'names'> {
  const name = argument.name()
  if (name === 'agent' || name === 'agents') return { names: 'agent' }
  if (name === 'kind') return { names: 'kind' }
  if (name !== 'name') return {}
  if (command.parent?.name() === 'token') return { names: 'token' }
  const [kind] = values
  return kind === undefined ? {} : { names: kind }
}

function completeValue(option: string): Completion {
  const names = NAMED_BY_OPTION[option]
  return names === undefined ? NOTHING : { words: [], names }
}

function findOption(program: Command, command: Command, word: string): Option | undefined {
  const name = word.split('=')[0]
  return [...command.options, ...program.options].find(({ long, short }) => name === long || name === short)
}

function takesValue(option: Option | undefined): boolean {
  return option !== undefined && (option.required || option.optional)
}

function optionsOf(program: Command, command: Command): string[] {
  const all = [...command.options, ...program.options].flatMap(({ long }) => (long ? [long] : []))
  return [...new Set([...all, '--help'])]
}

function commandsOf(command: Command): string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((child) => child.name())
}

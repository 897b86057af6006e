import { Argument, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { withExample } from '../examples.ts'

/** What can stand behind a command: its own commands, and its options. */
interface Entry {
  readonly path: readonly string[]
  readonly words: readonly string[]
}

export function registerCompletion(program: Command, context: CommandContext): void {
  const command = program
    .command('completion')
    .summary('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish']))
  withExample(command, 'source <(skein completion bash)').action((shell: string) => {
    const entries = entriesOf(program, [])
    context.io.print(shell === 'fish' ? fishScript(entries) : bashScript(entries, shell === 'zsh'))
  })
}

function entriesOf(command: Command, path: readonly string[]): Entry[] {
  const options = command.options.flatMap(({ long }) => (typeof long === 'string' ? [long] : []))
  const commands = command.commands.map((child) => child.name())
  return [
    { path, words: [...commands, ...options, '--json', '--profile', '--help'] },
    ...command.commands.flatMap((child) => entriesOf(child, [...path, child.name()])),
  ]
}

function bashScript(entries: readonly Entry[], isZsh: boolean): string {
  const cases = entries
    .filter(({ path }) => path.length > 0)
    .toReversed()
    .map(({ path, words }) => `    "${path.join(' ')}"*) words="${words.join(' ')}" ;;`)
  return [
    ...(isZsh ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_skein() {',
    '  local words path="${COMP_WORDS[*]:1:COMP_CWORD-1}"',
    '  case "$path" in',
    ...cases,
    `    *) words="${entries[0]?.words.join(' ') ?? ''}" ;;`,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _skein skein',
  ].join('\n')
}

function fishScript(entries: readonly Entry[]): string {
  return entries
    .map(({ path, words }) => {
      const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')
      return `complete -c skein -n "${seen || '__fish_use_subcommand'}" -a "${words.join(' ')}"`
    })
    .join('\n')
}

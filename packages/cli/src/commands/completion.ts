import { Argument, type Command } from 'commander'
import type { CommandContext } from '../command-line/command-context.ts'
import { withExample } from '../command-line/examples.ts'

/** Each calls `skein complete`, which knows commands, options and the server's names. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_skein() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    skein complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null
  )
}
complete -o default -F _skein skein`,
  zsh: `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_skein() {
  local -a names
  names=(\${(f)"$(skein complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -- $names
}
compdef _skein skein`,
  fish: `function __skein_complete
  set -l typed (commandline -opc) "$(commandline -ct)"
  skein complete -- $typed[2..-1] 2>/dev/null
end
complete -c skein -f -a '(__skein_complete)'`,
}

export function registerCompletion(program: Command, context: CommandContext): void {
  const command = program
    .command('completion')
    .summary('print the completion script for a shell')
    .description(
      'Completes commands, options, and the names of agents, workspaces, personas, kinds and resources.',
    )
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
  withExample(command, 'source <(skein completion bash)').action((shell: string) => {
    context.io.print(SCRIPTS[shell] ?? '')
  })
}

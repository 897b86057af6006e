import type { Command } from 'commander'
import type { CommandContext } from '../command-line/command-context.ts'
import { completeWords } from '../completion/complete-words.ts'
import { readNames } from '../completion/read-names.ts'

/** Completion must be fast. */
const TIME_LIMIT_MS = 1_500

/** Names come from a server, and a shell would interpret other characters. */
const PLAIN = /^[\w./@-]+$/

/** Called by the completion scripts, so it is hidden. */
export function registerComplete(program: Command, context: CommandContext): void {
  program
    .command('complete', { hidden: true })
    .argument('[words...]', 'what is typed so far, the word under the cursor last')
    .allowUnknownOption()
    .action(async (typed: readonly string[]) => {
      const current = typed.at(-1) ?? ''
      const { words, names } = completeWords(program, typed)
      const known = names === undefined ? [] : await namesOrNone(context, names)
      const fitting = [...words, ...known].filter((word) => word.startsWith(current) && PLAIN.test(word))
      if (fitting.length > 0) context.io.print(fitting.join('\n'))
    })
}

/** Empty if the server is slow, unavailable or refuses: completion must not print errors. */
async function namesOrNone(context: CommandContext, what: string): Promise<string[]> {
  try {
    return await readNames(await context.skein(), what, AbortSignal.timeout(TIME_LIMIT_MS))
  } catch {
    return []
  }
}

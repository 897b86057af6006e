import { text } from 'node:stream/consumers'
import type { Io } from './io.ts'
import { UsageError } from './command-line/usage-error.ts'

/** Asks for confirmation. Outside a terminal, --yes is required instead. */
export async function confirm(io: Pick<Io, 'canAsk' | 'ask'>, question: string): Promise<boolean> {
  if (!io.canAsk)
    throw new UsageError('Not a terminal, so you cannot be asked to confirm.', 'Add --yes to proceed.')
  return /^y(es)?$/i.test((await io.ask(`${question} [y/N] `)).trim())
}

export async function readStdin(io: Io): Promise<string> {
  return text(io.stdin)
}

/** Reads a line without echoing it. */
export async function askSecret(io: Io, prompt: string): Promise<string> {
  if (!io.canAsk) return (await readStdin(io)).trim()
  process.stderr.write(prompt)
  io.stdin.setRawMode(true)
  let typed = ''
  try {
    for await (const chunk of io.stdin) {
      for (const character of String(chunk)) {
        if (character === '\r' || character === '\n') return typed.trim()
        if (character === '\u0003') throw new UsageError('Interrupted.', '')
        typed = character === '\u007f' ? typed.slice(0, -1) : typed + character
      }
    }
    return typed.trim()
  } finally {
    io.stdin.setRawMode(false)
    process.stderr.write('\n')
  }
}

import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { shorten } from '../../output/clean-text.ts'
import { formatAge } from '../../output/facts.ts'
import { formatTable } from '../../output/table.ts'

export function registerSessions(program: Command, context: CommandContext): void {
  const sessions = program
    .command('sessions')
    .summary('browsers and command lines that are signed in to your account')
  const ls = sessions.command('ls').summary('list sessions, newest first')
  withExample(ls, 'skein sessions ls').action(async () => {
    const found = await (await context.skein()).sessions()
    const now = Date.now()
    context.print({ sessions: found }, () =>
      found.length === 0
        ? 'Nothing is signed in.'
        : formatTable([
            ['SESSION', 'KIND', 'TOKEN', 'AGE', 'WHERE'],
            ...found.map(({ id, kind, token, createTime, userAgent }) => [
              id,
              kind,
              token,
              formatAge(createTime, now),
              shorten(userAgent, 80),
            ]),
          ]),
    )
  })
  const end = sessions
    .command('end')
    .summary('sign a browser or command line out immediately')
    .argument('<session>', 'the session’s id, from ls')
  withExample(end, 'skein sessions end 0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10').action(async (id: string) => {
    await (await context.skein()).endSession(id)
    context.print({ session: id, ended: true }, () => `Ended ${id}.`)
  })
}

import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { readAll } from '../../read-all.ts'
import { shorten } from '../../output/clean-text.ts'
import { formatTable } from '../../output/table.ts'
import { collect } from '../../command-line/repeated.ts'
import { parseSpan } from '../../command-line/time-spans.ts'
import { UsageError } from '../../command-line/usage-error.ts'

interface CreateOptions {
  readonly role: string
  readonly account?: string
  readonly description?: string
  readonly expiresIn?: string
  readonly pool?: readonly string[]
}

export function registerToken(program: Command, context: CommandContext): void {
  const token = program.command('token').summary('API keys')
  for (const register of [registerList, registerCreate, registerRotate, registerRevoke])
    register(token, context)
}

function registerList(token: Command, context: CommandContext): void {
  const command = token.command('ls').summary('list tokens, without their keys')
  withExample(command, 'skein token ls').action(async () => {
    const tokens = await readAll((await context.skein()).catalog.list('token'))
    const { io } = context
    context.print({ tokens: tokens.map(({ name, document }) => ({ name, ...document })) }, () =>
      formatTable([
        ['TOKEN', 'ROLE', 'ACCOUNT', 'STATE', 'EXPIRES', 'DESCRIPTION'].map((title) =>
          io.paint('dim', title),
        ),
        ...tokens.map(({ name, document }) => describeToken(name, document, Date.now())),
      ]),
    )
  })
}

function describeToken(name: string, document: object, nowMs: number): string[] {
  const { role, account, revoked, expireTime, description } = {
    role: '',
    account: '',
    revoked: false,
    expireTime: '',
    description: '',
    ...document,
  }
  const isExpired = expireTime !== '' && Date.parse(expireTime) <= nowMs
  const state = revoked ? 'revoked' : isExpired ? 'expired' : 'works'
  return [name, role, account, state, expireTime || 'never', shorten(description, 60)]
}

/** A command about one token. */
function aboutToken(token: Command, name: string, summary: string, example: string): Command {
  const command = token.command(name).summary(summary).argument('<name>', 'the name of the token')
  return withExample(command, `skein token ${name} ${example}`)
}

function registerCreate(token: Command, context: CommandContext): void {
  const summary = 'create a key; it is shown once, on standard output'
  aboutToken(token, 'create', summary, 'ci --role member --expires-in 90d > key.txt')
    .option('--role <role>', 'viewer, member, admin or runner', 'member')
    .option('--account <account>', 'the account it acts for; default: yours')
    .option('--description <text>', 'what it is for')
    .option('--expires-in <span>', 'how long it works, such as 90d; default: no limit')
    .option('--pool <name>', 'role runner: a pool it serves; may be repeated', collect)
    .action(async (name: string, { role, account, description, expiresIn, pool }: CreateOptions) => {
      const skein = await context.skein()
      const document = {
        role,
        account: account ?? (await skein.whoami()).account,
        ...(description !== undefined && { description }),
        ...(pool && { pools: pool }),
        ...(expiresIn !== undefined && {
          expireTime: new Date(Date.now() + parseSpan(expiresIn)).toISOString(),
        }),
      }
      const written = await skein.catalog.put('token', name, document, { ifGeneration: '0' })
      printKey(context, name, written)
    })
}

function registerRotate(token: Command, context: CommandContext): void {
  aboutToken(token, 'rotate', 'create a new key for a token', 'ci --overlap 24h > key.txt')
    .option('--overlap <span>', 'how long the old key keeps working, such as 24h', '0s')
    .action(async (name: string, { overlap }: { readonly overlap: string }) => {
      const { catalog } = await context.skein()
      const { document, generation } = await catalog.get('token', name)
      const { keyVersion } = document
      const fields = { keyVersion: Number(keyVersion ?? 1) + 1, overlap: `${parseSpan(overlap) / 1000}s` }
      const written = await catalog.patch('token', name, fields, {
        mask: ['keyVersion', 'overlap'],
        ifGeneration: generation,
      })
      printKey(context, name, written)
    })
}

function registerRevoke(token: Command, context: CommandContext): void {
  const command = aboutToken(token, 'revoke', 'revoke every key of a token permanently', 'ci')
  command.action(async (name: string) => {
    const { catalog } = await context.skein()
    await catalog.patch('token', name, { revoked: true }, { mask: ['revoked'] })
    context.print({ token: name, revoked: true }, () => `Revoked ${name}. It stops working within 5 seconds.`)
  })
}

interface Written {
  readonly document: object
  readonly generation: string
}

function printKey(context: CommandContext, name: string, { document, generation }: Written): void {
  const { key } = { key: undefined, ...document }
  if (typeof key !== 'string') {
    // A retry was answered from the record, which contains no secret.
    throw new UsageError(
      'The response with the key was lost.',
      `Create a new one: skein token rotate ${name}`,
    )
  }
  context.print({ token: name, key, generation }, () => key)
  context.note('This key is shown only once.')
}

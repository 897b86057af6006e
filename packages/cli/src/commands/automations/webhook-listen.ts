import { randomBytes } from 'node:crypto'
import type { TimelineEvent } from '@skein/client'
import { isEventType } from '@skein/contract/facts'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import type { Io } from '../../io.ts'
import { EventFeed } from '../../listen/event-feed.ts'
import { forwardEvent, type Forwarded } from '../../listen/forward-event.ts'
import { shorten } from '../../output/clean-text.ts'

const KEY_VARIABLE = 'SKEIN_SIGNING_KEY'

interface ListenOptions {
  readonly forwardTo: string
  readonly events: string
  readonly workspace?: string
  readonly account?: string
  readonly limit?: string
}

export function registerListen(webhooks: Command, context: CommandContext): void {
  const command = webhooks
    .command('listen')
    .summary('forward events to a receiver on your machine, for development')
    .description(
      `Sends new events of your agents as a webhook would, until Ctrl-C. Signs with the key in ${KEY_VARIABLE}, or with a new one that it prints. A failed request is not retried.`,
    )
    .requiredOption('--forward-to <address>', 'where to send them, such as localhost:3000/hook')
    .option('--events <types>', 'only these, separated by commas, such as run.ended,agent.*', '*')
    .option('--workspace <name>', 'only agents of this workspace')
    .option('--account <name>', 'whose agents: a name, or * for everyone’s; default: yours')
    .option('--limit <count>', 'stop after this many requests')
  withExample(command, 'skein webhooks listen --forward-to localhost:3000').action((options: ListenOptions) =>
    listen(context, options),
  )
}

async function listen(context: CommandContext, options: ListenOptions): Promise<void> {
  const { workspace, account } = options
  const url = parseAddress(options.forwardTo)
  const limit = options.limit === undefined ? Infinity : parseLimit(options.limit)
  const types = options.events.split(',').map((type) => type.trim())
  const { key, isOwn } = signingKey(context.io)
  const stop = new AbortController()
  const abort = () => stop.abort()
  process.once('SIGINT', abort)
  process.once('SIGTERM', abort)
  try {
    const feed = new EventFeed(await context.skein(), { workspace, account }, stop.signal)
    await feed.begin()
    context.printLine({ forwardTo: url.href, ...(isOwn && { signingKey: key }) }, () =>
      [
        `Forwarding events to ${shorten(url.href, 200)}. Ctrl-C ends.`,
        isOwn ? `Signing key: ${key}` : `Signed with the key in ${KEY_VARIABLE}.`,
      ].join('\n'),
    )
    let sent = 0
    for await (const event of feed.events()) {
      if (!isEventType(types, event.type)) continue
      const forwarded = await forwardEvent(url, key, event)
      printForwarded(context, event, forwarded)
      sent += 1
      if (sent >= limit) break
    }
  } catch (error) {
    // While it was starting.
    if (!stop.signal.aborted) throw error
  } finally {
    stop.abort()
    process.off('SIGINT', abort)
    process.off('SIGTERM', abort)
  }
}

function printForwarded(context: CommandContext, event: TimelineEvent, forwarded: Forwarded): void {
  const { type, agentId, sequence } = event
  const agent = [agentId.workspace, ...agentId.agent].join('/')
  context.printLine({ type, agent, sequence, ...forwarded }, () => {
    const time = new Date().toTimeString().slice(0, 8)
    const { status, error, latencyMs } = forwarded
    const { paint } = context.io
    const outcome = error === '' ? paint('green', String(status)) : paint('red', shorten(error, 80))
    return `${time}  ${shorten(type, 40)}  ${shorten(`${agent} #${sequence}`, 80)}  ${outcome}  ${latencyMs} ms`
  })
}

/** `3000`, `localhost:3000/hook` and whole URLs. */
function parseAddress(text: string): URL {
  const withHost = /^\d{1,5}(?:\/|$)/.test(text) ? `localhost:${text}` : text
  const whole = /^[a-z]+:\/\//i.test(withHost) ? withHost : `http://${withHost}`
  const url = URL.canParse(whole) ? new URL(whole) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new UsageError(`${text} is not an address.`, 'Write it as --forward-to localhost:3000.')
}

function parseLimit(text: string): number {
  const limit = Number(text)
  if (Number.isSafeInteger(limit) && limit >= 1) return limit
  throw new UsageError(`${text} is not a number of requests.`, 'Write it as --limit 10.')
}

function signingKey({ env }: Io): { readonly key: string; readonly isOwn: boolean } {
  const given = env[KEY_VARIABLE]
  if (given === undefined || given === '') {
    return { key: `whsec_${randomBytes(32).toString('base64')}`, isOwn: true }
  }
  if (/^whsec_[A-Za-z0-9+/]{32,}=*$/.test(given)) return { key: given, isOwn: false }
  throw new UsageError(
    `${KEY_VARIABLE} is not a signing key: it must be whsec_ followed by at least 24 bytes in base64.`,
    `Unset ${KEY_VARIABLE} to get a new one.`,
  )
}

import type { Resource, TriggerDelivery } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import type { Io } from '../../io.ts'
import { shorten } from '../../output/clean-text.ts'
import { readAll } from '../../read-all.ts'
import { formatTable } from '../../output/table.ts'
import { readLog } from './read-log.ts'
import { registerList } from './register-list.ts'
import { registerTriggerTest } from './trigger-test.ts'

const DELIVERY = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'

export function registerTriggers(program: Command, context: CommandContext): void {
  const triggers = program
    .command('triggers')
    .summary('start agents when another system sends a request')
    .description(
      'Create a trigger with skein apply. These commands test it, and show the outcomes of requests.',
    )
  registerList(triggers, context, {
    summary: 'list triggers with the state of each',
    field: 'triggers',
    read: async (skein) => (await readAll(skein.catalog.list('trigger'))).map(describeTrigger),
    none: 'No triggers.',
    format: (entries) => formatList(context.io, entries),
  })
  for (const register of [
    registerShow,
    registerLog,
    registerTriggerTest,
    registerReplay,
    registerPause,
    registerResume,
  ])
    register(triggers, context)
}

function formatList(io: Io, entries: readonly ReturnType<typeof describeTrigger>[]): string {
  return formatTable([
    ['TRIGGER', 'STATE', 'SENDER', 'WORKSPACE', 'PROFILE'].map((title) => io.paint('dim', title)),
    ...entries.map(({ name, paused, sender, workspace, profile }) => [
      name,
      paused ? io.paint('yellow', 'paused') : 'active',
      sender,
      workspace,
      profile,
    ]),
  ])
}

function describeTrigger({ name, document }: Resource) {
  const { verification } = document
  const sender: unknown =
    typeof verification === 'object' && verification !== null ? Reflect.get(verification, 'type') : ''
  return {
    name,
    paused: document['paused'] === true,
    sender: String(sender),
    workspace: String(document['workspace']),
    profile: String(document['profile']),
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? shorten(value, 200) : '')
const numberOf = (value: unknown) => (typeof value === 'number' ? String(value) : '')

function formatTrigger(io: Io, resource: Resource): string {
  const { paused, sender, workspace, profile } = describeTrigger(resource)
  const { document } = resource
  const partOf = (field: string, name: string): unknown => {
    const part = document[field]
    return typeof part === 'object' && part !== null ? Reflect.get(part, name) : undefined
  }
  const rows: [string, string][] = [
    ['Description', textOf(document['description'])],
    ['State', paused ? io.paint('yellow', 'paused') : 'active'],
    ['Sender', shorten(sender, 40)],
    ['Workspace', shorten(workspace, 80)],
    ['Profile', shorten(profile, 80)],
    ['Condition', textOf(document['condition'])],
    ['Starts', textOf(partOf('spawn', 'description'))],
    ['Sends to', textOf(partOf('send', 'agent'))],
    ['Requests a minute', numberOf(partOf('limits', 'perMinute'))],
    ['Agents at once', numberOf(partOf('limits', 'agents'))],
  ]
  return formatTable(rows.filter(([, value]) => value !== ''))
}

/** A command about one trigger. */
function aboutTrigger(triggers: Command, name: string, summary: string): Command {
  const command = triggers.command(name).summary(summary).argument('<name>', 'the name of the trigger')
  return withExample(command, `skein triggers ${name} tickets`)
}

/** A command about one of its deliveries. */
function aboutDelivery(triggers: Command, name: string, summary: string): Command {
  const command = triggers
    .command(name)
    .summary(summary)
    .argument('<name>', 'the name of the trigger')
    .argument('<delivery>', 'the id of the delivery, as in the log')
  return withExample(command, `skein triggers ${name} tickets ${DELIVERY}`)
}

function registerShow(triggers: Command, context: CommandContext): void {
  const command = triggers
    .command('show')
    .summary('show a trigger, or one of its requests with headers and body')
    .argument('<name>', 'the name of the trigger')
    .argument('[delivery]', 'the id of a delivery, as in the log')
  withExample(command, 'skein triggers show tickets').action(async (name: string, deliveryId?: string) =>
    deliveryId === undefined ? showTrigger(context, name) : showDelivery(context, name, deliveryId),
  )
}

async function showTrigger(context: CommandContext, name: string): Promise<void> {
  const resource = await (await context.skein()).catalog.get('trigger', name)
  context.print(resource, () => formatTrigger(context.io, resource))
}

async function showDelivery(context: CommandContext, name: string, deliveryId: string): Promise<void> {
  const found = await (await context.skein()).triggers.delivery(name, deliveryId)
  const body = Buffer.from(found.body, 'base64').toString('utf8')
  context.print({ ...found, body }, () =>
    [
      formatLog(context.io, [found.delivery]),
      Object.entries(found.headers)
        .map(([header, value]) => `${header}: ${shorten(value, 200)}`)
        .join('\n'),
      found.delivery.isKept ? shorten(body, 20_000) : 'Its body is no longer kept.',
    ].join('\n\n'),
  )
}

function registerLog(triggers: Command, context: CommandContext): void {
  aboutTrigger(triggers, 'log', 'show requests and their outcomes, newest first')
    .option('--limit <count>', 'how many', '20')
    .action(async (name: string, { limit }: { readonly limit: string }) => {
      const skein = await context.skein()
      const deliveries = await readLog(limit, (options) => skein.triggers.deliveries(name, options))
      context.print({ deliveries }, () =>
        deliveries.length === 0
          ? 'No genuine requests in the last seven days.'
          : formatLog(context.io, deliveries),
      )
    })
}

function formatLog(io: Io, deliveries: readonly TriggerDelivery[]): string {
  return formatTable([
    ['TIME', 'DELIVERY', 'OUTCOME', 'AGENT', 'REASON'].map((title) => io.paint('dim', title)),
    ...deliveries.map((delivery) => [
      delivery.time,
      delivery.id,
      paintOutcome(io, delivery),
      delivery.agent === '' ? '-' : `${delivery.workspace}/${delivery.agent}`,
      shorten(delivery.reason, 120),
    ]),
  ])
}

function paintOutcome(io: Io, { outcome }: TriggerDelivery): string {
  const text = outcome.toLowerCase()
  if (outcome === 'FAILED' || outcome === 'REFUSED') return io.paint('red', text)
  return outcome === 'PENDING' ? io.paint('yellow', text) : text
}

function registerReplay(triggers: Command, context: CommandContext): void {
  aboutDelivery(triggers, 'replay', 'apply a request again, as a new delivery').action(
    async (name: string, deliveryId: string) => {
      const again = await (await context.skein()).triggers.redeliver(name, deliveryId)
      context.print(
        { trigger: name, deliveryId: again },
        () => `Delivered again as ${again}. See the outcome with: skein triggers log ${name}`,
      )
    },
  )
}

function registerPause(triggers: Command, context: CommandContext): void {
  aboutTrigger(triggers, 'pause', 'only record requests from now on').action(async (name: string) => {
    await (await context.skein()).triggers.pause(name)
    context.print({ trigger: name, paused: true }, () => `Paused ${name}.`)
  })
}

function registerResume(triggers: Command, context: CommandContext): void {
  aboutTrigger(triggers, 'resume', 'apply new requests again').action(async (name: string) => {
    await (await context.skein()).triggers.resume(name)
    context.print({ trigger: name, paused: false }, () => `Resumed ${name}.`)
  })
}

import type { AgentId, Delivery, IntegrationEntry } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import type { Io } from '../../io.ts'
import { shorten } from '../../output/clean-text.ts'
import { formatAge } from '../../output/facts.ts'
import { formatTable } from '../../output/table.ts'
import { readLog } from './read-log.ts'
import { registerList } from './register-list.ts'
import { registerListen } from './webhook-listen.ts'
import { registerReplay } from './webhook-replay.ts'

export function registerWebhooks(program: Command, context: CommandContext): void {
  const webhooks = program
    .command('webhooks')
    .summary('inspect and replay what is sent to other systems and people')
    .description(
      'Webhooks, chats and e-mail are resources of the kind integration: create one with `skein apply`.',
    )
  registerList(webhooks, context, {
    summary: 'list webhooks with the state of each',
    field: 'integrations',
    read: (skein) => skein.integrations.list(),
    none: 'No webhooks yet. Create one with: skein apply',
    format: (integrations) => formatIntegrations(context.io, integrations, Date.now()),
  })
  for (const register of [
    registerShow,
    registerLog,
    registerTest,
    registerReplay,
    registerPause,
    registerListen,
  ])
    register(webhooks, context)
}

function registerShow(webhooks: Command, context: CommandContext): void {
  aboutIntegration(webhooks, 'show', 'show the state of one webhook').action(async (name: string) => {
    const integrations = await (await context.skein()).integrations.list()
    const found = integrations.find((integration) => integration.name === name)
    if (!found) throw new Error(`Integration ${name} not found. List them with: skein webhooks list`)
    context.print(found, () => formatIntegration(found, Date.now()))
  })
}

/** A command about one integration. */
function aboutIntegration(webhooks: Command, name: string, summary: string): Command {
  const command = webhooks.command(name).summary(summary).argument('<name>', 'the integration')
  return withExample(command, `skein webhooks ${name} chat`)
}

function registerLog(webhooks: Command, context: CommandContext): void {
  const log = webhooks
    .command('log')
    .summary('show the latest requests and their responses')
    .argument('<name>', 'the integration')
    .option('--failed', 'only requests that failed')
    .option('--limit <count>', 'how many', '20')
  withExample(log, 'skein webhooks log chat --failed').action(
    async (name: string, options: { failed?: true; limit: string }) => {
      const skein = await context.skein()
      const deliveries = await readLog(options.limit, (page) =>
        skein.integrations.deliveries(name, { ...page, failed: options.failed }),
      )
      context.print({ deliveries }, () => formatDeliveries(context.io, deliveries, Date.now()))
    },
  )
  const summary = 'list events that could not be delivered within three days'
  aboutIntegration(webhooks, 'dead-letters', summary).action(async (name: string) => {
    const { deadLetters } = await (await context.skein()).integrations.listDeadLetters(name)
    context.print({ deadLetters }, () =>
      deadLetters.length === 0
        ? 'No dead letters.'
        : formatTable([
            ['AGENT', 'EVENTS', 'AGE', 'WHY'].map((title) => context.io.paint('dim', title)),
            ...deadLetters.map(({ agentId, firstSequence, lastSequence, time, error }) => [
              shorten(nameOf(agentId), 80),
              shorten(`${firstSequence} to ${lastSequence}`, 40),
              formatAge(time, Date.now()),
              shorten(error, 60),
            ]),
          ]),
    )
  })
}

function registerTest(webhooks: Command, context: CommandContext): void {
  aboutIntegration(webhooks, 'test', 'send a test event and show the response').action(
    async (name: string) => {
      const answer = await (await context.skein()).integrations.test(name)
      context.print(answer, () =>
        answer.isDelivered
          ? `Delivered: status ${answer.status} after ${answer.latencyMs} ms.`
          : `Not delivered: ${answer.error}${answer.response === '' ? '' : `\n${shorten(answer.response, 500)}`}`,
      )
      if (!answer.isDelivered) context.exitCode = 1
    },
  )
}

function registerPause(webhooks: Command, context: CommandContext): void {
  for (const [verb, disabled, done] of [
    ['pause', true, 'Paused'],
    ['resume', false, 'Resumed'],
  ] as const) {
    const summary = disabled
      ? 'stop sending; events that happen while it is paused are not sent later'
      : 'resume sending, from now on'
    aboutIntegration(webhooks, verb, summary).action(async (name: string) => {
      await (await context.skein()).integrations[verb](name)
      context.print({ name, disabled }, () => `${done} ${name}.`)
    })
  }
}

function formatIntegrations(io: Io, integrations: readonly IntegrationEntry[], nowMs: number): string {
  return formatTable([
    ['NAME', 'TYPE', 'STATE', 'LAST', 'WAITING', 'FAILED TODAY', 'TO'].map((title) => io.paint('dim', title)),
    ...integrations.map((integration) => [
      shorten(integration.name, 63),
      shorten(integration.type, 20),
      paintState(io, integration.state),
      formatAge(integration.deliveredTime, nowMs) || '-',
      integration.waitingAgents === 0 ? '-' : `${integration.waitingAgents} agents`,
      failureRate(integration),
      shorten(placeOf(integration), 60),
    ]),
  ])
}

function formatIntegration(integration: IntegrationEntry, nowMs: number): string {
  const { state, disabledBecause, failures, failingSince, nextAttemptTime } = integration
  return formatTable([
    ['State', shorten(state.toLowerCase(), 20)],
    ...(disabledBecause === '' ? [] : [['Disabled because', shorten(disabledBecause, 200)]]),
    ['Type', shorten(integration.type, 20)],
    ['To', shorten(placeOf(integration), 200)],
    ['Last delivered', age(integration.deliveredTime, nowMs)],
    ...(failures === 0
      ? []
      : [['Failing', `${failures} times in a row, since ${shorten(failingSince, 40)}`]]),
    [
      'Waiting',
      `${integration.waitingAgents} agents, the oldest for ${formatAge(integration.waitingSince, nowMs) || '-'}`,
    ],
    ['Next attempt', nextAttemptTime === '' ? '-' : shorten(nextAttemptTime, 40)],
    ['Failed in 24 hours', failureRate(integration)],
  ])
}

function formatDeliveries(io: Io, deliveries: readonly Delivery[], nowMs: number): string {
  if (deliveries.length === 0) return 'Nothing was sent in the last seven days.'
  return formatTable([
    ['AGE', 'EVENT', 'AGENT', 'ATTEMPT', 'STATUS', 'TOOK', 'RESPONSE'].map((title) => io.paint('dim', title)),
    ...deliveries.map(({ time, type, agentId, sequence, attempt, status, latencyMs, error, response }) => [
      formatAge(time, nowMs),
      shorten(type, 40),
      shorten(agentId ? `${nameOf(agentId)} #${sequence}` : '-', 80),
      String(attempt),
      error === '' ? io.paint('green', String(status)) : io.paint('red', status === 0 ? '-' : String(status)),
      `${latencyMs} ms`,
      shorten(error === '' ? response : error, 60),
    ]),
  ])
}

const COLORS: Readonly<Record<string, Parameters<Io['paint']>[0]>> = {
  ACTIVE: 'green',
  FAILING: 'yellow',
  DISABLED: 'red',
}

function paintState(io: Io, state: string): string {
  return io.paint(COLORS[state] ?? 'dim', shorten(state.toLowerCase(), 20))
}

function failureRate({ hours }: IntegrationEntry): string {
  const attempts = hours.reduce((total, hour) => total + hour.attempts, 0)
  const failures = hours.reduce((total, hour) => total + hour.failures, 0)
  return attempts === 0 ? '-' : `${failures} of ${attempts}`
}

function age(time: string, nowMs: number): string {
  return time === '' ? 'never' : `${formatAge(time, nowMs)} ago`
}

/** Where it sends to; nothing for a URL that only a secret knows. */
function placeOf({ url, to }: IntegrationEntry): string {
  if (to.length > 0) return to.join(', ')
  return url === '' ? '(secret)' : url
}

/** Of an agent that may have been deleted. */
function nameOf(agentId: AgentId | undefined): string {
  return agentId ? [agentId.workspace, ...agentId.agent].join('/') : '-'
}

import { Random } from '@skein/testkit'
import { checkProcesses } from '../crash/checks/refusals.ts'
import { Report, type Fault } from '../crash/report.ts'
import { freezeServers, Kills, killUntil, stallHolders } from './havoc.ts'
import { install, type Installation } from './installation.ts'
import { Chat } from './messages/chat.ts'
import { Mailbox } from './messages/mailbox.ts'
import { Messages, type MessageFigures } from './messages/run-messages.ts'
import type { Options } from './options.ts'
import type { ScheduleFigures } from './schedules/check-schedules.ts'
import { Schedules } from './schedules/run-schedules.ts'
import type { TriggerFigures } from './triggers/check-triggers.ts'
import { Triggers } from './triggers/run-triggers.ts'
import type { WebhookFigures } from './webhooks/check-webhooks.ts'
import { Webhooks } from './webhooks/run-webhooks.ts'

/** For each way in which people are told. */
interface Told<Value> {
  readonly chat: Value
  readonly mail: Value
}

export interface Result extends Record<Fault, number> {
  readonly seconds: number
  readonly killedServers: number
  readonly killedDatabases: number
  readonly frozenServers: number
  readonly settledAfterMs: number
  readonly events: number
  readonly webhooks: Readonly<Record<string, WebhookFigures>>
  readonly schedules: ScheduleFigures
  readonly triggers: TriggerFigures
  readonly messages: Told<MessageFigures>
  readonly report: Report
}

/** Runs the servers of the source tree at `root`. */
export async function automationsTest(root: string, options: Options): Promise<Result> {
  const random = new Random(options.seed)
  await using closing = new AsyncDisposableStack()
  const mailbox = await Mailbox.start(random)
  closing.defer(() => mailbox.close())
  const chat = await Chat.start(random)
  closing.defer(() => chat.close())
  const installation = await install(root, random, mailbox.settings)
  closing.defer(() => installation.stop())
  const webhooks = await Webhooks.start(installation, random)
  closing.defer(() => webhooks.close())
  const told = {
    chat: await Messages.start(installation, chat),
    mail: await Messages.start(installation, mailbox),
  }
  return await drive(installation, { webhooks, told }, random, options)
}

async function drive(
  installation: Installation,
  { webhooks, told }: { readonly webhooks: Webhooks; readonly told: Told<Messages> },
  random: Random,
  { seconds, kills: wantedKills, restSeconds }: Options,
): Promise<Result> {
  const triggers = await Triggers.start(installation, random)
  const schedules = await Schedules.start(installation)
  const startedAt = performance.now()
  const ended = new AbortController()
  const kills = new Kills()
  const work = Promise.all([
    webhooks.work(ended.signal),
    triggers.work(ended.signal),
    stallHolders(installation, ended.signal),
    freezeServers(installation, random, { kills, signal: ended.signal }),
  ])
  const isEnough = () => {
    const done = kills.servers + kills.databases
    const passed = Math.round((performance.now() - startedAt) / 1000)
    if (done % 25 === 0) console.error(`${done} of ${wantedKills} kills after ${passed} s`)
    return passed >= seconds && done >= wantedKills
  }
  await killUntil(installation, random, { kills, isEnough })
  ended.abort()
  await work
  const restedAt = performance.now()
  const restMs = restSeconds * 1000
  await Promise.all([webhooks.settle(restMs), schedules.settle(restMs), triggers.settle(restMs)])
  await Promise.all([told.chat.settle(restMs), told.mail.settle(restMs)])
  const settledAfterMs = Math.round(performance.now() - restedAt)
  const report = new Report()
  const figures = {
    webhooks: webhooks.check(report, kills),
    schedules: await schedules.check(report),
    triggers: await triggers.check(report),
    messages: {
      chat: told.chat.check(report, kills.outages),
      mail: told.mail.check(report, kills.outages),
    },
  }
  checkProcesses(report, installation.servers)
  return {
    seconds: Math.round((performance.now() - startedAt) / 1000),
    killedServers: kills.servers,
    killedDatabases: kills.databases,
    frozenServers: kills.freezes,
    settledAfterMs,
    events: webhooks.events,
    ...figures,
    ...report.faults,
    report,
  }
}

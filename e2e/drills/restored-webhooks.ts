import { setTimeout as pause } from 'node:timers/promises'
import { writeResource } from '../automations/installation.ts'
import { Receiver, type Arrival } from '../automations/webhooks/receivers.ts'
import type { AgentTimeline } from '../crash/checks/read-timelines.ts'
import type { Report } from '../crash/report.ts'
import type { Api } from '../crash/workload/api.ts'

/** A receiver that fails is tested every few seconds. */
const PATIENCE_MS = 90_000

export interface WebhookCounts {
  readonly events: number
  /** Sent before and after the restore. */
  readonly repeated: number
}

/** A webhook for all events, and what its receiver sees of a restore. */
export class RestoredWebhooks {
  readonly #receiver: Receiver
  /** What arrived before the database was lost. */
  #before: readonly Arrival[] = []

  private constructor(receiver: Receiver) {
    this.#receiver = receiver
  }

  static async start(api: Api): Promise<RestoredWebhooks> {
    const receiver = new Receiver('restored', () => ({ status: 204, afterMs: 0 }))
    await receiver.start()
    await writeResource(api, 'integration', 'restored', { url: receiver.url })
    return new RestoredWebhooks(receiver)
  }

  /** While it is down, events wait: then the restored database knows of some that were sent after its moment. */
  set isDown(isDown: boolean) {
    this.#receiver.state = isDown ? 'down' : 'up'
  }

  /** The servers are stopped: what comes now was sent by the restored installation. */
  lose(): void {
    this.#before = this.#receiver.arrivals.splice(0)
  }

  /** Waits until everything has arrived. */
  async check(report: Report, time: Date, timelines: readonly AgentTimeline[]): Promise<WebhookCounts> {
    const events = timelines.flatMap(({ path, events: all }) =>
      all.map((event) => ({
        key: `${path} #${event.sequence}`,
        isOld: Date.parse(event.time) <= time.getTime(),
      })),
    )
    const before = deliveredOf(this.#before)
    const skipped = () => {
      const after = deliveredOf(this.#receiver.arrivals)
      // A later event of the lost database can have had the same number: it says nothing about this one.
      return events.filter(({ key, isOld }) => !after.has(key) && !(isOld && before.has(key)))
    }
    const until = performance.now() + PATIENCE_MS
    while (skipped().length > 0 && performance.now() < until) await pause(250)
    const missing = skipped().map(({ key }) => key)
    report.check('lost', 'a webhook gets every event of the restored database', events.length, missing)
    const old = new Set(events.filter(({ isOld }) => isOld).map(({ key }) => key))
    const repeated = [...deliveredOf(this.#receiver.arrivals)].filter(
      ([key]) => old.has(key) && before.has(key),
    )
    const none = repeated.length > 0 ? [] : ['none was sent again']
    report.check('lost', 'events whose delivery was forgotten are sent again', repeated.length, none)
    const changed = repeated.filter(([key, id]) => before.get(key) !== id).map(([key]) => key)
    report.check('wrong', 'events that are sent again have the id they had', repeated.length, changed)
    report.check('wrong', 'a webhook is sent in order', events.length, disorderIn(this.#receiver.arrivals))
    return { events: events.length, repeated: repeated.length }
  }

  close(): Promise<void> {
    return this.#receiver.close()
  }
}

/** The id of each event that was accepted. */
function deliveredOf(arrivals: readonly Arrival[]): Map<string, string> {
  const accepted = arrivals.filter(({ status }) => status === 204)
  return new Map(accepted.map(({ agent, sequence, webhookId }) => [`${agent} #${sequence}`, webhookId]))
}

/** Events of an agent that came before the one they follow. */
function disorderIn(arrivals: readonly Arrival[]): string[] {
  const last = new Map<string, number>()
  return arrivals.flatMap(({ agent, sequence }) => {
    const previous = last.get(agent)
    last.set(agent, Math.max(previous ?? 0, sequence))
    return previous !== undefined && sequence > previous + 1
      ? [`${agent} #${sequence} after #${previous}`]
      : []
  })
}

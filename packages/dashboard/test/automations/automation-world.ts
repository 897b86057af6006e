import { waitFor } from '@skein/testkit'
import { TestReceiver } from '../../../server/test/automations/receiver.ts'
import type { DashboardWorld } from '../dashboard-world.ts'

interface Texts {
  /** What the receiver answers, and what another system sends. */
  readonly text: string
  /** For descriptions. */
  readonly short: string
}

const FRIENDLY: Texts = { text: 'The cart is broken.', short: 'For the shop.' }

/** One automation of each kind, with a real receiver and a sender. */
export class AutomationWorld {
  /** For the server: it may send to this machine. */
  static readonly SETTINGS = { SKEIN_OUTBOUND_ALLOW: '127.0.0.1' }

  readonly receiver: TestReceiver
  readonly #world: DashboardWorld
  readonly #triggerKey: string

  private constructor(world: DashboardWorld, receiver: TestReceiver, triggerKey: string) {
    this.#world = world
    this.receiver = receiver
    this.#triggerKey = triggerKey
  }

  static async start(world: DashboardWorld, { text, short }: Texts = FRIENDLY): Promise<AutomationWorld> {
    const receiver = await TestReceiver.start()
    receiver.answer = () => ({ status: 200, body: text })
    const { catalog } = world.skein
    await catalog.put('profile', 'night-shift', {})
    await catalog.put('integration', 'chat', {
      description: short,
      url: receiver.url,
      events: ['agent.spawned'],
    })
    const action = { profile: 'night-shift', workspace: 'sample' }
    const { document } = await catalog.put('trigger', 'tickets', {
      ...action,
      description: short,
      verification: { type: 'bearer' },
      spawn: { agent: 'ticket-{{ body.n }}', description: 'Look.\n{{ body.text }}' },
    })
    await catalog.put('schedule', 'nightly-deps', {
      ...action,
      description: short,
      cron: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      jitter: '600s',
      spawn: { description: 'Update the dependencies.' },
    })
    return new AutomationWorld(world, receiver, String(document['key']))
  }

  /** With something in each log: a delivery that failed, one that was accepted, a request and a firing. */
  static async seed(world: DashboardWorld, texts: Texts = FRIENDLY): Promise<AutomationWorld> {
    const seeded = await AutomationWorld.start(world, texts)
    const { skein } = world
    seeded.receiver.answer = () => ({ status: 500, body: texts.text })
    await skein.integrations.test('chat')
    seeded.receiver.answer = () => ({ status: 200, body: texts.text })
    await skein.integrations.test('chat')
    await seeded.send({ n: 7, text: texts.text })
    await skein.schedules.run('nightly-deps')
    await waitFor(
      async () => {
        const [trigger] = await Array.fromAsync(skein.triggers.list())
        const { last } = await skein.schedules.get('nightly-deps')
        return trigger?.last[0]?.outcome === 'SPAWNED' && last[0]?.outcome === 'STARTED'
      },
      { what: 'the trigger and the schedule', timeoutMs: 120_000 },
    )
    return seeded
  }

  /** A request to the trigger. */
  async send(body: object): Promise<void> {
    const { tenant } = await this.#world.skein.whoami()
    const provider = tenant.provider.replace(/^PROVIDER_/, '').toLowerCase()
    const answer = await fetch(`${this.#world.baseUrl}/v1/trigger/${provider}:${tenant.org}/tickets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#triggerKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.status !== 202) throw new Error(await answer.text())
  }

  close(): Promise<void> {
    return this.receiver.close()
  }
}

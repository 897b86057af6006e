import { createHmac } from 'node:crypto'
import { waitFor, type TestAnswer, type TestServer } from '@skein/testkit'
import type { AgentWorld } from '../agents/agent-world.ts'
import { must } from '../agents/agent-world.ts'

/** Signs and sends requests as a code host does. */
export class TriggerSender {
  readonly #world: AgentWorld
  readonly #name: string
  readonly key: string

  constructor(world: AgentWorld, name: string, key: string) {
    this.#world = world
    this.#name = name
    this.key = key
  }

  static async create(
    world: AgentWorld,
    fields: Record<string, unknown>,
    name = 'tickets',
  ): Promise<TriggerSender> {
    must(await world.admin.write('workspace', 'shop', {}))
    must(await world.admin.write('profile', 'night', {}))
    const document = {
      profile: 'night',
      workspace: 'shop',
      verification: { type: 'github' },
      ...fields,
    }
    const answer = must(await world.admin.write('trigger', name, document))
    return new TriggerSender(world, name, String(answer.document['key']))
  }

  get path(): string {
    return `/v1/trigger/codehost_app:${this.#world.tenant.tenant.org}/${this.#name}`
  }

  sign(body: string): Record<string, string> {
    const signature = createHmac('sha256', this.key).update(body).digest('hex')
    return { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-event': 'issues' }
  }

  post(
    body: unknown,
    headers: Record<string, string> = {},
    server: TestServer = this.#world.server,
  ): Promise<TestAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return server.anonymous.post(this.path, text, { headers: { ...this.sign(text), ...headers } })
  }

  async log(): Promise<Record<string, unknown>[]> {
    const answer = must(await this.#world.admin.get(`/v1/triggers/${this.#name}/deliveries`))
    return answer.body['deliveries'] as Record<string, unknown>[]
  }

  /** Waits until nothing is left to apply. Returns the log, newest first. */
  async applied(): Promise<Record<string, unknown>[]> {
    await waitFor(async () => (await this.log()).every(({ outcome }) => outcome !== 'PENDING'), {
      what: 'deliveries to be applied',
    })
    return this.log()
  }
}

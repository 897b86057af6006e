import type { AgentId } from '@skein/contract'
import { LongestTick, type TestAnswer, type TestClient } from '@skein/testkit'
import { AgentWorld } from '../agents/agent-world.ts'

const MAX_TICK_MS = 100
const TRIES = 3

/** A member who attacks, an agent to attack with, and a watch on how long the event loop is held up. */
export class HostileWorld {
  readonly world: AgentWorld
  readonly member: TestClient
  readonly agentId: AgentId

  private constructor(world: AgentWorld, member: TestClient, agentId: AgentId) {
    this.world = world
    this.member = member
    this.agentId = agentId
  }

  static async start(): Promise<HostileWorld> {
    const world = await AgentWorld.start()
    const member = await world.tenant.as('member', 'hostile')
    const agentId = await world.spawn('attacked', {}, member)
    await world.spawn('warm-up', { outputSchema: '{}' }, member)
    return new HostileWorld(world, member, agentId)
  }

  close(): Promise<void> {
    return this.world.close()
  }

  /** Sends it, and fails if anything else had to wait for long each time: a slow moment of the machine is not ours. */
  async withstands(attack: () => Promise<TestAnswer>): Promise<TestAnswer> {
    const times: number[] = []
    for (;;) {
      const tick = new LongestTick()
      const answer = await attack().finally(() => tick.stop())
      const tookMs = tick.takeMs()
      if (tookMs < MAX_TICK_MS) return answer
      times.push(Math.round(tookMs))
      if (times.length === TRIES) {
        throw new Error(`The event loop was held up for ${times.join(', ')} ms (${answer.status})`)
      }
    }
  }
}

/** The items of a JSON list or object, as text. */
export function list(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(',')
}

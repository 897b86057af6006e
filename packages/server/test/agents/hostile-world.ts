import type { AgentId } from '@skein/contract'
import type { TestAnswer, TestClient } from '@skein/testkit'
import { AgentWorld } from './agent-world.ts'
import { LongestTick } from './longest-tick.ts'

const MAX_TICK_MS = 100

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

  /** Sends it, and fails if anything else had to wait for long. */
  async withstands(attack: () => Promise<TestAnswer>): Promise<TestAnswer> {
    const tick = new LongestTick()
    try {
      const answer = await attack()
      const tookMs = tick.takeMs()
      if (tookMs < MAX_TICK_MS) return answer
      throw new Error(`The event loop was held up for ${Math.round(tookMs)} ms (${answer.status})`)
    } finally {
      tick.stop()
    }
  }
}

/** The items of a JSON list or object, as text. */
export function list(count: number, item: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(',')
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '@skein/testkit'
import type { Api } from '../../crash/workload/api.ts'
import { LATE_AGENT } from './commit-late.ts'

const AGENTS = 40
const EVENTS_PER_SECOND = 20

/** Spawns the agents, then sends them messages, which are events too. */
export async function emitEvents(api: Api, random: Random, signal: AbortSignal): Promise<void> {
  const names = Array.from({ length: AGENTS }, (_, index) => `agent-${index}`)
  await Promise.all(
    [...names, LATE_AGENT].map((name) =>
      api.insist('/v1/agent/spawn', { agentId: agentIdOf(name), description: 'Emit.' }, name),
    ),
  )
  const sent: Promise<unknown>[] = []
  for (let count = 0; !signal.aborted; count++) {
    const agentId = agentIdOf(random.pick(names))
    // Full queues are emptied, which is an event for each message.
    const path = count % 50 === 49 ? '/v1/agent/clear-follow-ups' : '/v1/agent/queue'
    const body = path.endsWith('/queue') ? { agentId, description: `Message ${count}.` } : { agentId }
    sent.push(api.insist(path, body, `emit-${count}`))
    await pause(1000 / EVENTS_PER_SECOND)
  }
  await Promise.all(sent)
}

function agentIdOf(name: string): object {
  return { workspace: 'default', agent: [name] }
}

import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { scriptOf } from '@skein/testkit'
import type { DrillInstallation } from './installation.ts'

const TIMES = 12
/** The wait must have begun before it is over. */
const SETTLE_MS = 300

export interface WakeUps {
  readonly medianMs: number
  readonly slowestMs: number
}

/** How long it takes until somebody who waits for an agent at one server hears that it was killed at another. */
export async function measureWakeUps({ ports, adminKey }: DrillInstallation): Promise<WakeUps> {
  const call = async (server: number, operation: string, body: object): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${ports[server]}/v1/agent/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(answer)
  }
  const times: number[] = []
  for (let turn = 0; turn < TIMES; turn += 1) {
    const agentId = { agent: [`woken-${randomUUID().slice(0, 8)}`], workspace: 'default' }
    await call(1, 'spawn', { agentId, description: scriptOf({ do: 'hang' }) })
    const told = call(0, 'wait', { agentId })
    await pause(SETTLE_MS)
    await call(1, 'kill', { agentId })
    const killedAt = performance.now()
    await told
    times.push(Math.max(0, Math.round(performance.now() - killedAt)))
  }
  const sorted = times.toSorted((left, right) => left - right)
  return { medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0, slowestMs: sorted.at(-1) ?? 0 }
}

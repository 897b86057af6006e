import type { AgentAddress } from './agent-name.ts'
import type { Connection } from './call/connection.ts'
import type { WaitForAgentResponse } from './generated/types.ts'
import { pause } from './call/time-limit.ts'

/** Shorter than proxies commonly let a request be silent. */
const MAX_HOLD_SECONDS = 25

/**
 * How long to wait.
 *
 * @example
 * const { reason } = await agent.wait({ timeoutMs: 60_000, signal: AbortSignal.timeout(90_000) })
 */
export interface WaitOptions {
  /** Ends the wait immediately, with the signal's reason as the error. */
  readonly signal?: AbortSignal | undefined
  /** After this time the reason is `WAIT_REASON_UNSPECIFIED`, with the current status. Default: no limit. */
  readonly timeoutMs?: number | undefined
}

/** Asks repeatedly, because proxies cut requests that are held for hours. */
export async function waitForAgent(
  connection: Connection,
  agentId: AgentAddress,
  { signal, timeoutMs = Infinity }: WaitOptions,
): Promise<WaitForAgentResponse> {
  const { now = Date.now } = connection.options
  const deadlineMs = now() + timeoutMs
  for (;;) {
    const leftMs = deadlineMs - now()
    const seconds = Math.min(MAX_HOLD_SECONDS, Math.floor(Math.max(0, leftMs) / 1000))
    // The service counts whole seconds: wait for the rest here, then ask one last time.
    if (seconds === 0 && leftMs > 0) await pause(leftMs, signal)
    const headers = { prefer: `wait=${seconds}` }
    const answer = await connection.call('waitForAgent', { body: { agentId } }, { signal, headers })
    if (answer.reason !== 'WAIT_REASON_UNSPECIFIED' || seconds === 0) return answer
  }
}

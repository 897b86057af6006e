import { SkeinError } from '@skein/contract'

/** Others may end and start the agent between two commands, again and again. */
const MAX_ROUNDS = 3

/** Sends to an agent, or starts it if it is not alive. The suffix makes the id of each command its own. */
export async function sendOrStart<Result>({
  send,
  start,
}: {
  readonly send: (suffix: string) => Promise<Result>
  readonly start: (suffix: string) => Promise<Result>
}): Promise<Result> {
  for (let round = 1; ; round++) {
    const suffix = round === 1 ? '' : `-${round}`
    try {
      return await send(suffix)
    } catch (error) {
      if (!isReason(error, 'AGENT_NOT_FOUND', 'AGENT_NOT_RUNNING')) throw error
    }
    try {
      return await start(suffix)
    } catch (error) {
      if (round === MAX_ROUNDS || !isReason(error, 'AGENT_ALREADY_EXISTS')) throw error
    }
  }
}

export function isReason(error: unknown, ...reasons: readonly string[]): boolean {
  return error instanceof SkeinError && reasons.includes(error.reason)
}

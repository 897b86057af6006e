import { setTimeout as pause } from 'node:timers/promises'
import { isConnectTimeout } from '@skein/store'

/** A busy machine answers within this time, and somebody who waits for a wrong address still hears of it. */
const PATIENCE_MS = 30_000
const PAUSE_MS = 500

/**
 * Repeats a step of the start as long as connecting to the database takes too long. Nobody waits for an answer yet, and
 * a server that gave up would be started again, on a machine that is too busy as it is.
 */
export async function retryConnect<Result>(
  step: () => Promise<Result>,
  onTimeout: (error: unknown) => void,
): Promise<Result> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!isConnectTimeout(error) || performance.now() - startedAt > PATIENCE_MS) throw error
      onTimeout(error)
    }
    await pause(PAUSE_MS)
  }
}

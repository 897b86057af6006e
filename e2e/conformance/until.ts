import { setTimeout as delay } from 'node:timers/promises'

/** A simulated agent's run takes 2 to 5 s, and far longer on a busy machine. */
export const RUN_MS = 180_000

export const sleep = (ms: number): Promise<void> => delay(ms)

/** The probe's result, or undefined on timeout. */
export async function until<T>(
  probe: () => Promise<T | false | undefined> | T | false | undefined,
  ms = RUN_MS,
  everyMs = 150,
): Promise<T | undefined> {
  const end = Date.now() + ms
  for (;;) {
    const value = await probe()
    if (value !== undefined && value !== false) return value
    if (Date.now() > end) return undefined
    await delay(everyMs)
  }
}

/** The time that many milliseconds from now. */
export const soon = (ms: number): string => new Date(Date.now() + ms).toISOString()

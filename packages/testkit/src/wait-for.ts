import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { machineNow } from './machine-time.ts'

export interface WaitForOptions {
  /** Completes the sentence "Waited for …". */
  readonly what: string
  /** By the machine's clock. Long by default: a shared machine may freeze for seconds. */
  readonly timeoutMs?: number
  readonly intervalMs?: number
}

type Falsy = false | 0 | 0n | '' | null | undefined

/** The first truthy value of `condition`. A condition that throws counts as not met. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 15_000, intervalMs = 10 }: WaitForOptions,
): Promise<Exclude<T, Falsy>> {
  const startedAt = machineNow()
  for (;;) {
    const outcome = await attempt(condition)
    if ('met' in outcome) return outcome.met
    const elapsedMs = Math.round(machineNow() - startedAt)
    if (elapsedMs >= timeoutMs) {
      throw new Error(`Waited ${elapsedMs} ms for ${what}. ${outcome.unmet}`, { cause: outcome.cause })
    }
    await pause(intervalMs)
  }
}

type Outcome<T> = { met: Exclude<T, Falsy> } | { unmet: string; cause: unknown }

async function attempt<T>(condition: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    const value = await condition()
    if (isTruthy(value)) return { met: value }
    return { unmet: `Last value: ${inspect(value)}`, cause: undefined }
  } catch (error) {
    return { unmet: `Last error: ${error instanceof Error ? error.message : inspect(error)}`, cause: error }
  }
}

function isTruthy<T>(value: T): value is Exclude<T, Falsy> {
  return Boolean(value)
}

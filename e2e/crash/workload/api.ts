import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '@skein/testkit'

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
  /** The reason of a rejection. */
  readonly reason: string | undefined
  /**
   * Whether the outcome of an earlier attempt is unknown. Without a key, a rejection doesn't settle it: a server may
   * still be retrying that attempt, and carry it out once the reason for the rejection is gone.
   */
  readonly isAfterUnknown: boolean
}

export interface ApiCounts {
  sent: number
  answered: number
  retries: number
  /** Number of rejections and errors, by reason. */
  readonly reasons: Map<string, number>
  /** Why requests had to be repeated: number of attempts without a usable answer, by kind. */
  readonly failures: Map<string, number>
}

export function noCalls(): ApiCounts {
  return { sent: 0, answered: 0, retries: 0, reasons: new Map(), failures: new Map() }
}

/** A caller that repeats a request at any server until one answers. */
export class Api {
  readonly #urls: readonly string[]
  readonly #key: string
  readonly #random: Random
  readonly counts: ApiCounts

  constructor(urls: readonly string[], key: string, random: Random, counts: ApiCounts) {
    this.#urls = urls
    this.#key = key
    this.#random = random
    this.counts = counts
  }

  async insist(path: string, body: unknown, idempotencyKey?: string): Promise<Answer> {
    this.counts.sent++
    let isAfterUnknown = false
    for (;;) {
      const answer = await this.#call(path, body, idempotencyKey)
      if (answer && answer.status < 500) {
        this.counts.answered++
        if (answer.reason !== undefined) count(this.counts.reasons, answer.reason)
        return { ...answer, isAfterUnknown }
      }
      isAfterUnknown = true
      if (answer?.reason !== undefined && answer.status !== 503) count(this.counts.reasons, answer.reason)
      if (answer) count(this.counts.failures, `${answer.status} ${answer.reason}`)
      this.counts.retries++
      await pause(20 + this.#random.below(200))
    }
  }

  /** Undefined if it is unknown whether it arrived. */
  async #call(
    path: string,
    body: unknown,
    idempotencyKey: string | undefined,
  ): Promise<Omit<Answer, 'isAfterUnknown'> | undefined> {
    try {
      const response = await fetch(`${this.#random.pick(this.#urls)}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#key}`,
          'content-type': 'application/json',
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(30_000),
      })
      // A proxy's own errors are pages.
      if (response.headers.get('content-type')?.includes('json') !== true) {
        throw new Error(`${response.status} by the proxy`)
      }
      return toAnswer(response.status, (await response.json()) as Record<string, unknown>)
    } catch (error) {
      count(this.counts.failures, describe(error))
      return undefined
    }
  }
}

function count(amounts: Map<string, number>, kind: string): void {
  amounts.set(kind, (amounts.get(kind) ?? 0) + 1)
}

/** The message of the connection's error, which fetch hides in its cause. */
function describe(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}

function toAnswer(status: number, body: Record<string, unknown>): Omit<Answer, 'isAfterUnknown'> {
  const details = Array.isArray(body['details']) ? (body['details'] as Record<string, unknown>[]) : []
  const reason = details.find((detail) => 'reason' in detail)?.['reason']
  return { status, body, reason: status >= 400 ? String(reason) : undefined }
}

import { setTimeout as pause } from 'node:timers/promises'
import { SkeinError } from '@skein/contract'
import type { Caller } from '@skein/core'
import {
  findCommandQueries,
  isConnectionLost,
  toCommandRecord,
  type CommandRecord,
  type Query,
  type Transaction,
  type Write,
} from '@skein/store'
import type { EngineResources } from '../resources.ts'
import type { CommandIdentity, Idempotency } from './command-id.ts'

/** How long a command's outcome is kept for retries. */
const RETRY_WINDOW_MS = 24 * 60 * 60 * 1000

/** About six seconds: long enough to outlast a database restart, short enough for a waiting caller. */
const LOST_CONNECTION_PAUSES_MS = [50, 100, 200, 400, 800, 1600, 3200]

/** The actor when no caller is involved: a timer is due, or a lease has expired. */
export const SYSTEM = 'skein'

/** Who sends a command, for which tenant, and how a retry is recognised. */
export interface CommandContext {
  readonly caller: Caller
  readonly tenantId: string
  readonly requestId: string
  /** Where the request came from; absent for what the service does by itself. */
  readonly address?: string
  /** The request's span, as in the header `traceparent`; absent if nobody traces. */
  readonly traceparent?: string
  /** The caller's reason, which operators must give. */
  readonly justification?: string
  /** Absent without an Idempotency-Key: then every request is carried out. */
  readonly idempotency?: Idempotency
}

export type CommandOutcome<Answer> =
  | { readonly isReplay: false; readonly answer: Answer }
  /** The answer recorded when the command was first carried out. */
  | { readonly isReplay: true; readonly answer: unknown }

interface Loaded {
  /** The recorded outcome of an earlier try. */
  readonly earlier: CommandRecord | undefined
}

/** One try of a command: one transaction. */
export interface Try<Seen extends Loaded, Answer> {
  /** Waits for all other tries of the command, then reads their record and the state to decide on. */
  load(notBefore: number): readonly Query[]
  read(row: unknown): Seen
  /** What else to read in the same round trip. */
  readonly alongside?: ((transaction: Transaction) => Promise<void>) | undefined
  /** Returns what to write, including the command's record; nothing if the command may be carried out again. */
  decide(loaded: Seen, now: number, transaction: Transaction): Promise<{ answer: Answer; write: Write }>
}

/**
 * Carries out a command unless an earlier try succeeded. The outcome is recorded in the same transaction, so a retry
 * after an unknown outcome finds either the record or no effect at all.
 */
export function carryOutOnce<Seen extends Loaded, Answer>(
  { database, clock }: EngineResources,
  { tenantId, request }: Pick<CommandIdentity, 'request'> & { readonly tenantId: string },
  { load, read, alongside, decide }: Try<Seen, Answer>,
): Promise<CommandOutcome<Answer>> {
  const now = clock.now()
  return database.command<CommandOutcome<Answer>>(tenantId, {
    load: load(now - RETRY_WINDOW_MS),
    alongside,
    async decide(row, transaction) {
      const loaded = read(row)
      if (loaded.earlier) return { write: [], result: replay(loaded.earlier, request) }
      const { answer, write } = await decide(loaded, now, transaction)
      return { write, result: { isReplay: false, answer } }
    },
  })
}

/** For a try that does its own reading. */
export function loadingOnlyItself(
  tenantId: string,
  id: Uint8Array,
): Pick<Try<Loaded, unknown>, 'load' | 'read'> {
  return {
    load: (notBefore) => findCommandQueries(tenantId, id, notBefore),
    read: (row) => ({ earlier: toCommandRecord(row) }),
  }
}

/** Returns the recorded outcome of an earlier try. */
function replay(
  { requestSha256, outcome }: CommandRecord,
  request: CommandIdentity['request'],
): CommandOutcome<never> {
  if (!request.isSameAs(requestSha256)) throw new SkeinError('IDEMPOTENCY_KEY_REUSED')
  if ('refusal' in outcome) throw outcome.refusal
  return { isReplay: true, answer: outcome.answer }
}

/** If the connection is lost, even during COMMIT, the command is retried until its outcome is known. */
export async function untilKnown<Outcome>(attempt: () => Promise<Outcome>): Promise<Outcome> {
  for (const pauseMs of LOST_CONNECTION_PAUSES_MS) {
    try {
      return await attempt()
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      await pause(pauseMs)
    }
  }
  return attempt()
}

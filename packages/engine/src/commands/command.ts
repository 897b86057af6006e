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
} from '@skein/store'
import type { EngineResources } from '../resources.ts'
import type { CommandIdentity, Idempotency } from './command-id.ts'

/** How long what a command was told is remembered for whoever repeats it. */
const RETRY_WINDOW_MS = 24 * 60 * 60 * 1000

/** Long enough to outlast a database that restarts, short enough for a caller who waits: about six seconds. */
const LOST_CONNECTION_PAUSES_MS = [50, 100, 200, 400, 800, 1600, 3200]

/** Who acts when nobody asked: a time has come, or a lease has run out. */
export const SYSTEM = 'skein'

/** Who sends a command, about which tenant, and how a retry of it is recognised. */
export interface CommandContext {
  readonly caller: Caller
  readonly tenantId: string
  readonly requestId: string
  /** Why, where the caller says so; operators must. */
  readonly justification?: string
  /** Absent when the caller sent no Idempotency-Key: the command is then carried out each time. */
  readonly idempotency?: Idempotency
}

export type CommandOutcome<Answer> =
  | { readonly isReplay: false; readonly answer: Answer }
  /** The answer that was recorded when the command was first carried out. */
  | { readonly isReplay: true; readonly answer: unknown }

interface Loaded {
  /** What an earlier try of the same command was told. */
  readonly earlier: CommandRecord | undefined
}

/** One try of a command: one transaction. */
export interface Try<Seen extends Loaded, Answer> {
  /** Waits for every other try of the command, and then reads what is known of them, and what is to be decided on. */
  load(notBefore: number): readonly Query[]
  read(row: unknown): Seen
  /** Answers what is to be written, with the command's record among it; nothing, if it may be carried out again. */
  decide(
    loaded: Seen,
    now: number,
    transaction: Transaction,
  ): Promise<{ answer: Answer; write: Query | undefined }>
}

/**
 * Carries a command out, unless an earlier try of it was: what it is told is recorded by the commit that carries it
 * out, so a retry after an unknown outcome finds it, or finds that nothing happened.
 */
export function carryOutOnce<Seen extends Loaded, Answer>(
  { database, clock }: EngineResources,
  { tenantId, request }: Pick<CommandIdentity, 'request'> & { readonly tenantId: string },
  { load, read, decide }: Try<Seen, Answer>,
): Promise<CommandOutcome<Answer>> {
  const now = clock.now()
  return database.command<CommandOutcome<Answer>>(
    tenantId,
    load(now - RETRY_WINDOW_MS),
    async (row, transaction) => {
      const loaded = read(row)
      if (loaded.earlier) return { write: undefined, result: replay(loaded.earlier, request) }
      const { answer, write } = await decide(loaded, now, transaction)
      return { write, result: { isReplay: false, answer } }
    },
  )
}

/** For a try that reads what it needs by itself. */
export function loadingOnlyItself(
  tenantId: string,
  id: Uint8Array,
): Pick<Try<Loaded, unknown>, 'load' | 'read'> {
  return {
    load: (notBefore) => findCommandQueries(tenantId, id, notBefore),
    read: (row) => ({ earlier: toCommandRecord(row) }),
  }
}

/** What an earlier try was told, told again. */
function replay(
  { requestSha256, outcome }: CommandRecord,
  request: CommandIdentity['request'],
): CommandOutcome<never> {
  if (!request.isSameAs(requestSha256)) throw new SkeinError('IDEMPOTENCY_KEY_REUSED')
  if ('refusal' in outcome) throw outcome.refusal
  return { isReplay: true, answer: outcome.answer }
}

/** When the connection dies, even during COMMIT, the command is retried until its outcome is known. */
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

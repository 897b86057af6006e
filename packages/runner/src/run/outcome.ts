import type { CompleteRunRequest } from '@skein/contract'
import type { TurnError, TurnResult } from '../backends/backend.ts'
import { isRetryable } from '../backends/errors.ts'
import type { Intent } from '../tools/turn-intent.ts'
import { cleanTexts, cut } from '../clean-text.ts'

export type Outcome = CompleteRunRequest['outcome']

/** Why a call was not made, and which budget it was: of the tree or of the month. */
export interface BudgetRefusal {
  readonly message: string
  readonly limit: 'budget' | 'monthly-budget'
}

/** Everything known at the end of a turn. */
export interface TurnEnd {
  readonly result: TurnResult
  readonly intent: Intent
  /** The strongest stop command received. */
  readonly stop: 'none' | 'interrupt' | 'kill' | 'hand-back'
  /** Set if the gateway refused the last call because of a budget. */
  readonly budgetRefusal: BudgetRefusal | undefined
  /** The delay requested by the provider, if any. */
  readonly limitResetMs: number | undefined
  /** Why the sandbox ended everything; empty if it didn't. */
  readonly breach: string
  /** How many processes the kernel killed for lack of memory, and the limit. */
  readonly memory: { readonly kills: number; readonly mib: number }
  readonly attempt: number
  readonly elapsedMs: number
  readonly wallMs: number
  /** The paying key, and where it is stored. */
  readonly keyName: string
}

/** Overloaded providers give no delay. Rate limits without one end within about a minute. */
const OVERLOAD_PAUSE_MS = 15_000
const RATE_LIMIT_PAUSE_MS = 60_000

/** A run paused this often has a problem that waiting doesn't solve. */
const MAX_PAUSED_ATTEMPTS = 100

/** The outcome to report. External causes take precedence over how the program reacted to them. */
export function toOutcome(end: TurnEnd): Outcome {
  return boundOutcome(decideOutcome(end))
}

/** The service's limits. A longer outcome would be rejected, and the run would never end. */
const MAX_MESSAGE = 200_000
const MAX_QUESTION = 60_000
const MAX_OUTPUT = 1_000_000
const MAX_PAUSE_MS = 604_800_000

function boundOutcome(outcome: Outcome): Outcome {
  const { message, needsInput, output, error, retryAfterMs } = outcome
  if (output !== undefined && output.length > MAX_OUTPUT) {
    return failed({ kind: 'output-invalid', message: 'The structured output is longer than 1 MiB.' }, '')
  }
  return cleanTexts({
    ...outcome,
    ...(message !== undefined && { message: cut(message, MAX_MESSAGE) }),
    ...(needsInput !== undefined && { needsInput: cut(needsInput, MAX_QUESTION) }),
    ...(error && { error: { ...error, message: cut(error.message, MAX_QUESTION) } }),
    ...(retryAfterMs !== undefined && { retryAfterMs: Math.ceil(Math.min(retryAfterMs, MAX_PAUSE_MS)) }),
  })
}

function decideOutcome(end: TurnEnd): Outcome {
  const { result, stop, budgetRefusal } = end
  const message = result.text
  if (stop === 'kill') return { reason: 'killed', message }
  if (end.breach !== '') return breachedOutcome(end.breach, message)
  // A turn that completed before the stop reached it counts as completed.
  if (stop !== 'none' && result.status === 'completed') {
    return { ...intended(end.intent, message), ...outputOf(result.output) }
  }
  if (stop === 'interrupt') return { reason: 'interrupted', message }
  if (stop === 'hand-back')
    return { reason: 'paused', retryAfterMs: 0, message: 'The runner is shutting down.' }
  if (budgetRefusal) {
    return { reason: 'limit', limit: budgetRefusal.limit, needsInput: budgetRefusal.message, message }
  }
  switch (result.status) {
    case 'completed':
      return { ...intended(end.intent, message), ...outputOf(result.output) }
    // Nobody asked for it: the program went down by itself.
    case 'interrupted':
    case 'killed':
      return failed(
        { kind: 'crash', message: `The program stopped unexpectedly.${explainMemory(end)}` },
        message,
      )
    case 'failed':
      return failedTurn(end, result.error, message)
  }
}

function intended(intent: Intent, message: string): Outcome {
  switch (intent.type) {
    case 'finish':
      return { reason: 'finished', message: intent.result }
    case 'ask':
      return {
        reason: 'asked',
        needsInput: intent.question,
        message: message === '' ? intent.question : message,
      }
    case 'await':
      return { reason: 'rested', awaits: [...intent.children], message }
    case 'none':
      return { reason: 'rested', message }
  }
}

function outputOf(output: unknown): Pick<Outcome, 'output'> {
  return output === undefined ? {} : { output: JSON.stringify(output) }
}

function failedTurn(end: TurnEnd, error: TurnError, message: string): Outcome {
  const { attempt, elapsedMs, wallMs, limitResetMs } = end
  if (error.kind === 'timeout' && wallMs > 0 && elapsedMs >= wallMs) {
    const needsInput = `The turn was ended after ${Math.round(wallMs / 1000)} s, its time limit. Send a message to continue.`
    return { reason: 'limit', limit: 'time', needsInput, message }
  }
  if (error.kind === 'auth') {
    return failed({ ...error, message: `The provider rejected ${end.keyName}: ${error.message}` }, message)
  }
  if (error.kind === 'crash') {
    return failed({ ...error, message: `${error.message}${explainMemory(end)}` }, message)
  }
  const pauseMs = pauseFor(error, limitResetMs)
  if (pauseMs !== undefined && attempt < MAX_PAUSED_ATTEMPTS) {
    return { reason: 'paused', retryAfterMs: pauseMs, message: error.message }
  }
  return failed(error, message)
}

/** The agent rests. Its folders stay as they are, and a person decides. */
export function breachedOutcome(breach: string, message = ''): Outcome {
  const needsInput = `${breach} All its processes were ended. Tell it to remove what it does not need, or raise the limit.`
  return { reason: 'limit', limit: 'disk', needsInput, message }
}

function explainMemory({ memory: { kills, mib } }: TurnEnd): string {
  if (kills === 0) return ''
  return ` The kernel killed ${kills} of the agent’s processes, because it used more than its ${mib} MiB of memory.`
}

function pauseFor({ kind }: TurnError, limitResetMs: number | undefined): number | undefined {
  if (kind === 'rate-limit') return limitResetMs ?? RATE_LIMIT_PAUSE_MS
  if (kind === 'overloaded') return limitResetMs ?? OVERLOAD_PAUSE_MS
  return undefined
}

function failed(error: TurnError, message: string): Outcome {
  return {
    reason: 'failed',
    message,
    error: { code: error.kind, message: error.message, isRetryable: isRetryable(error) },
  }
}

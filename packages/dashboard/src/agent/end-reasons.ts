import type { RunEndReason } from '@skein/client'

const WORDS: Readonly<Record<RunEndReason, string>> = {
  '': 'is running',
  finished: 'finished',
  asked: 'asked a question',
  rested: 'ended',
  interrupted: 'was stopped',
  killed: 'was stopped',
  failed: 'failed',
  lost: 'was lost',
  limit: 'reached a limit',
}

/** Follows the run's name. */
export function describeEndReason(reason: RunEndReason): string {
  return WORDS[reason]
}

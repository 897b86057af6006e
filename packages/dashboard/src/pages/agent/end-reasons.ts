import type { RunEndReason } from '@skein/client'

const WORDS: Readonly<Record<RunEndReason, string>> = {
  '': 'is under way',
  finished: 'finished',
  asked: 'asked something',
  rested: 'rested',
  interrupted: 'was interrupted',
  killed: 'was killed',
  failed: 'failed',
  lost: 'was lost',
  limit: 'reached a limit',
}

/** Follows the name of the run. */
export function describeEndReason(reason: RunEndReason): string {
  return WORDS[reason]
}

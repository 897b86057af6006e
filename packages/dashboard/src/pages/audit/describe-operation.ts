import type { AuditEntry } from '@skein/client'

const WORDS: Readonly<Record<string, string>> = {
  writeResource: 'Wrote',
  deleteResource: 'Deleted',
  spawnAgent: 'Spawned',
  stopTurn: 'Stopped',
  killAgent: 'Killed',
  setBudget: 'Set the budget of',
  queueFollowUp: 'Sent a message to',
  signIn: 'Signed in',
  createSignInLink: 'Made a sign-in link',
  signOut: 'Signed out',
  endSession: 'Ended',
  refuseKey: 'Refused the key of',
}

/** Of operators in this tenant: each begins with what it does. */
const READS = /^(?:read|list|watch|summarize|agentStatus|waitForAgent|resourceHistory|exportAudit)/

/** An operation in a word; one that a newer service has stays as it is called. */
export function describeOperation(operation: string): string {
  return WORDS[operation] ?? (READS.test(operation) ? `Read (${operation})` : operation)
}

/** What else an entry tells, in small print. */
export function describeDetails({ generation, address, detail, times }: AuditEntry): string {
  return [
    ...(generation === '0' ? [] : [`generation ${generation}`]),
    ...(detail === '' ? [] : [detail]),
    ...(address === '' ? [] : [`from ${address}`]),
    ...(times === '1' ? [] : [`${times} times`]),
  ].join(' · ')
}

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
  createSignInLink: 'Created a sign-in link',
  signOut: 'Signed out',
  endSession: 'Ended',
  confirmLogin: 'Confirmed a command line',
  refuseLogin: 'Refused a command line',
  refuseRenewal: 'Rejected an old renewal key of',
  exchangeToken: 'Gave a key to a program with',
  refuseToken: 'Rejected the token of a program with',
  refuseKey: 'Rejected the key of',
  createInvitation: 'Created',
  revokeInvitation: 'Revoked',
  acceptInvitation: 'Accepted',
  linkAccount: 'Linked',
  unlinkAccount: 'Unlinked',
  refuseSignIn: 'Rejected a sign-in with',
}

/** Operators' reads in this tenant: the names start with a verb. */
const READS = /^(?:read|list|watch|summarize|agentStatus|waitForAgent|resourceHistory|exportAudit)/

/** A short name of an operation. Unknown ones of a newer service are shown unchanged. */
export function describeOperation(operation: string): string {
  return WORDS[operation] ?? (READS.test(operation) ? `Read (${operation})` : operation)
}

/** An entry's details, in small print. */
export function describeDetails({ generation, address, detail, times }: AuditEntry): string {
  return [
    ...(generation === '0' ? [] : [`generation ${generation}`]),
    ...(detail === '' ? [] : [detail]),
    ...(address === '' ? [] : [`from ${address}`]),
    ...(times === '1' ? [] : [`${times} times`]),
  ].join(' · ')
}

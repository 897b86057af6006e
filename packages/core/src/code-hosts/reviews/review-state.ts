import type { Task } from '@skein/contract'

/** A message to the agent that was decided on. Killed before it is sent, the next server sends the same. */
interface ReviewMessage {
  readonly followUpId: string
  readonly description: string
  readonly tasks: readonly Task[]
}

/** Where the review of a pull request stands. Only the server that holds the pull request writes it. */
export interface ReviewState {
  /**
   * watching: waits for news. sending: a message is to be sent. working: the agent has it. stopped: until a person has
   * sent the agent a message. ended: merged or closed.
   */
  readonly phase: 'watching' | 'sending' | 'working' | 'stopped' | 'ended'
  readonly since: number
  readonly message?: ReviewMessage
  /** What follows once it is sent. */
  readonly next: 'working' | 'stopped' | 'ended'
  /** Messages that were sent, for their ids. Never goes down. */
  readonly sent: number
  /** Rounds since a person last helped. A push does not change it. */
  readonly rounds: number
  /** Comments that changed before this were looked at, in epoch milliseconds. */
  readonly readUntil: number
  /** The newest commit, and since when. */
  readonly commit: string
  readonly commitSince: number
  /** The commit whose failures the agent has, and what failed. */
  readonly failedCommit: string
  readonly failure: string
  /** The commit that was in conflict when last read, and the one that the agent knows of. */
  readonly conflictSeen: string
  readonly conflictTold: string
  readonly checks: 'none' | 'pending' | 'passing' | 'failing'
  /** Why updates do not reach the agent; empty if they do. */
  readonly problem: string
  /** How often in a row the host could not be asked. */
  readonly failures: number
}

export const NEW_REVIEW: ReviewState = {
  phase: 'watching',
  since: 0,
  next: 'working',
  sent: 0,
  rounds: 0,
  readUntil: 0,
  commit: '',
  commitSince: 0,
  failedCommit: '',
  failure: '',
  conflictSeen: '',
  conflictTold: '',
  checks: 'none',
  problem: '',
  failures: 0,
}

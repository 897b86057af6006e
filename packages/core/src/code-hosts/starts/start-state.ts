import type { AgentIdentity } from '../../agent/state.ts'
import { START_LIMITS } from './limits.ts'

/** What became of a request to start an agent; said in the reply. */
export type StartOutcome =
  | 'started'
  | 'continued'
  | 'fork'
  | 'stranger'
  | 'person-limit'
  | 'repository-limit'
  | 'tenant-limit'
  | 'streak'
  | 'quota'
  | 'refused'

/** A request to start an agent that was decided on. Killed before it is done, the next server continues. */
export interface StartOrder {
  /** Random. In the reply, so that it is found if the server that posted it could not record that; and in ids of commands. */
  readonly id: string
  /** Who asked for it, as the code host names them. */
  readonly person: string
  readonly plannedAt: number
  /** The agent to start or to continue. */
  readonly agent: AgentIdentity
  /** Which command is next. */
  readonly command: 'spawn' | 'send' | 'resume'
  /** How many commands were refused: the next one has another id. */
  readonly tries: number
  /** What a new agent is told, and what one is told that knows the issue. */
  readonly description: string
  readonly message: string
  /** Whether what the agent proposes names the issue: it was started for it. */
  readonly isOwn: boolean
  readonly isPull: boolean
  /** Known once there is nothing left to do but to reply. */
  readonly outcome?: StartOutcome
  /** Of a refusal, as in the reference of errors. */
  readonly reason?: string
}

/** Where an issue stands. Only the server that holds the issue writes it. */
export interface StartState {
  /** watching: waits for requests. starting: an agent is to be started or told. replying: the host is to be told. */
  readonly phase: 'watching' | 'starting' | 'replying'
  readonly order?: StartOrder
  /** Comments that changed before this were looked at, in epoch milliseconds. */
  readonly readUntil: number
  /** Requests that were dealt with, whatever became of them. */
  readonly seen: SeenRequests
  /** Orders of one person in a row, and when the newest was: a program may answer our replies. */
  readonly streak: { readonly person: string; readonly orders: number; readonly at: number }
  /** Why it could not be read, otherwise empty. */
  readonly problem: string
  readonly failures: number
}

export interface SeenRequests {
  readonly hasBody: boolean
  /** The newest event with the label, and with the assignment. */
  readonly label: string
  readonly assignment: string
  /** Of people who may, newest last. */
  readonly comments: readonly string[]
  /** Of others. Apart, so that nobody can have the ones above forgotten by writing many. */
  readonly others: readonly string[]
}

export const NEW_START: StartState = {
  phase: 'watching',
  readUntil: 0,
  seen: { hasBody: false, label: '', assignment: '', comments: [], others: [] },
  streak: { person: '', orders: 0, at: 0 },
  problem: '',
  failures: 0,
}

export function endOrder({ order: _done, ...state }: StartState): StartState {
  return { ...state, phase: 'watching', problem: '', failures: 0 }
}

/** The agent was started or told, or will not be. */
export function replyNext(state: StartState, outcome: StartOutcome, reason = ''): StartState {
  const { order } = state
  if (!order) throw new TypeError('There is no order to reply to')
  return { ...state, phase: 'replying', order: { ...order, outcome, reason }, problem: '', failures: 0 }
}

/** The agent is in another state than expected. Undefined after too many tries. */
export function tryOther(state: StartState, command: StartOrder['command']): StartState | undefined {
  const { order } = state
  if (!order || order.tries >= START_LIMITS.tries) return undefined
  return { ...state, order: { ...order, command, tries: order.tries + 1 } }
}

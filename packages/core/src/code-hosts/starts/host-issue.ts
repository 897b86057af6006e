import type { HostComment } from '../reviews/conversation.ts'

/** An issue or a pull request, as its code host describes it. Strangers may have written any text in it. */
export interface HostIssue {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly author: string
  readonly isBot: boolean
  /** False if the host says with it that its author has no access of their own. */
  readonly mayHaveAccess: boolean
  readonly isOpen: boolean
  readonly labels: readonly string[]
  readonly assignees: readonly string[]
  readonly createdAt: number
  /** Absent for an issue. */
  readonly pull?: {
    /** Its branch is in another repository. */
    readonly isFromFork: boolean
    readonly head: string
    readonly base: string
  }
}

export interface IssueComment extends HostComment {
  readonly createdAt: number
}

/** Comments that changed since some time. */
export interface IssueComments {
  readonly comments: readonly IssueComment[]
  /** All that changed before this were read, in epoch milliseconds. */
  readonly readUntil: number
  /** False if there are more: they are after that time. */
  readonly isAll: boolean
}

/** Somebody set a label, or assigned the issue. */
export interface IssueEvent {
  readonly id: string
  readonly type: 'labeled' | 'assigned'
  /** Of the label, or of whom it was assigned to. */
  readonly name: string
  readonly actor: string
  readonly isBot: boolean
  readonly at: number
}

/** Issues that changed since some time. */
export interface ChangedIssues {
  readonly numbers: readonly number[]
  readonly readUntil: number
  /** False if there are more: they are after that time. */
  readonly isAll: boolean
}

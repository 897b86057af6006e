import { isSameText } from '../repository.ts'

export interface HostComment {
  readonly id: string
  readonly author: string
  /** The host says that a program wrote it. */
  readonly isBot: boolean
  /** Minimised, or not published yet. */
  readonly isHidden: boolean
  /** False if the host says with the comment that its author has no access of their own. */
  readonly mayHaveAccess: boolean
  readonly body: string
}

/** Where an answer goes. */
export interface ThreadPlace {
  /** For a line: of the file, or of the file as it was. */
  readonly path: string
  readonly line: number
  readonly isOldSide: boolean
  /** The comment to reply to; empty if the host has no replies there. */
  readonly replyTo: string
  /** What the host calls the thread when it is resolved; empty if it cannot be. */
  readonly resolveId: string
}

export interface HostThread {
  /** The same for all comments of the thread, whenever it is read. */
  readonly key: string
  readonly place: ThreadPlace
  readonly isResolved: boolean
  readonly comments: readonly HostComment[]
}

export interface HostCheck {
  readonly name: string
  readonly state: 'pending' | 'passing' | 'failing'
  /** What it says, the end last. */
  readonly log: string
}

/** What has been said about a pull request, and what its checks say. Strangers may have written any text in it. */
export interface Conversation {
  /** The newest commit of its branch. */
  readonly commit: string
  /** What the host knows by now: a host works it out after a push. */
  readonly isConflicting: boolean
  readonly threads: readonly HostThread[]
  readonly checks: readonly HostCheck[]
  /** Who asked for changes in their newest review. */
  readonly unconvinced: readonly string[]
  /** All comments that changed before this were read, in epoch milliseconds. */
  readonly readUntil: number
}

export type HostPermission = 'admin' | 'write' | 'read' | 'none'

/** Begins the last line of everything that we post, so that it never wakes an agent. Quoted by a person, it does. */
const OWN = /^<!-- skein /m

export function isOwnText(body: string): boolean {
  return OWN.test(body)
}

function answerMarker(answerId: string): string {
  return `<!-- skein answer ${answerId} -->`
}

/** With a marker, by which it is found if the server that posted it could not record that. */
export function composeAnswer(text: string, answerId: string, mention = ''): string {
  const address = mention === '' ? '' : `@${mention} `
  return `${address}${text.trim()}\n\n${answerMarker(answerId)}\n`
}

export function hasAnswer(threads: readonly HostThread[], answerId: string): boolean {
  const marker = answerMarker(answerId)
  return threads.some(({ comments }) => comments.some(({ body }) => body.includes(marker)))
}

/** People with write access, by what the host itself says about them. Deny unless allowed. */
export function maySteer(
  { author, isBot, isHidden, mayHaveAccess, body }: HostComment,
  permissions: ReadonlyMap<string, HostPermission>,
): boolean {
  if (isBot || isHidden || !mayHaveAccess || isOwnText(body) || body.trim() === '') return false
  const permission = permissions.get(author.toLowerCase())
  return permission === 'admin' || permission === 'write'
}

/** Whose access has to be known. The newest comments come last, and count first. */
export function authorsToCheck(threads: readonly HostThread[], most: number): string[] {
  const authors = threads
    .flatMap(({ comments }) => comments)
    .filter(
      ({ isBot, isHidden, mayHaveAccess, body }) => !isBot && !isHidden && mayHaveAccess && !isOwnText(body),
    )
    .map(({ author }) => author)
    .filter((author) => author !== '')
    .toReversed()
  const distinct = authors.filter(
    (author, index) => authors.findIndex((other) => isSameText(other, author)) === index,
  )
  return distinct.slice(0, most)
}

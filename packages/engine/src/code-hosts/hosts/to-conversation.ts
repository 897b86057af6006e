import { createHash } from 'node:crypto'
import { cutText } from '@skein/contract'
import { REVIEW_LIMITS, type HostComment, type HostPermission } from '@skein/core'

/** Hosts' clocks and ours differ a little. What is read twice is delivered once. */
export const CLOCK_SKEW_MS = 5 * 60_000

/** Longer ones are cut before anything is done with them, but after what says that they are ours. */
const MAX_BODY = 4 * REVIEW_LIMITS.commentLength
const MAX_LOGIN = 100

/** What a host answers may be anything. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** PostgreSQL stores no NUL, and no half of a surrogate pair. */
export function textOf(value: unknown, maxLength: number): string {
  return typeof value === 'string' ? cutText(value.replaceAll('\0', '').toWellFormed(), maxLength) : ''
}

export function bodyOf(value: unknown): string {
  return textOf(value, MAX_BODY)
}

export function loginOf(user: unknown): string {
  return textOf(fieldsOf(user)['login'], MAX_LOGIN)
}

/** GitHub says so of Apps, and their names say so. */
export function isProgram(user: unknown): boolean {
  return fieldsOf(user)['type'] !== 'User' || loginOf(user).endsWith('[bot]')
}

/** Associations on GitHub of people who can have access of their own. Whether they have is asked for each of them. */
const INSIDERS: ReadonlySet<unknown> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR'])

export function isInsider(association: unknown): boolean {
  return INSIDERS.has(association)
}

export function idOf(value: unknown): string {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? String(value) : ''
}

export function lineOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value < 2 ** 31 ? value : 0
}

export function timeOf(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) || 0 : 0
}

export function toPermission(text: unknown): HostPermission {
  if (text === 'owner' || text === 'admin') return 'admin'
  return text === 'write' || text === 'read' ? text : 'none'
}

/** Of labels. */
export function toNames(answer: unknown): string[] {
  return Array.isArray(answer)
    ? answer.slice(0, 100).map((label) => textOf(fieldsOf(label)['name'], 100))
    : []
}

/** In the order of the host's threads; comments of one thread together. */
export function byThread<Place>(
  found: readonly { readonly key: string; readonly place: Place; readonly comment: HostComment }[],
): { key: string; place: Place; comments: HostComment[] }[] {
  const threads = new Map<string, { key: string; place: Place; comments: HostComment[] }>()
  for (const { key, place, comment } of found) {
    const thread = threads.get(key)
    if (thread) thread.comments.push(comment)
    else threads.set(key, { key, place, comments: [comment] })
  }
  return [...threads.values()]
}

export function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

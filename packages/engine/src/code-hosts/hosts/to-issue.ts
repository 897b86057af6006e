import { START_LIMITS, type HostIssue } from '@skein/core'
import { bodyOf, fieldsOf, loginOf, textOf, timeOf, toNames } from './to-conversation.ts'

const MAX_ASSIGNEES = 100

/** What hosts have in common; undefined if it is something else, such as where the issue was moved to. */
export function toIssue(
  answer: unknown,
  who: { readonly isBot: boolean; readonly mayHaveAccess: boolean },
): HostIssue | undefined {
  const { number, title, body, user, state, labels, assignees, created_at: created } = fieldsOf(answer)
  if (!isNumber(number)) return undefined
  return {
    number,
    title: textOf(title, START_LIMITS.titleLength),
    body: bodyOf(body),
    author: loginOf(user),
    ...who,
    isOpen: state === 'open',
    labels: toNames(labels),
    assignees: Array.isArray(assignees) ? assignees.slice(0, MAX_ASSIGNEES).map(loginOf) : [],
    createdAt: timeOf(created),
  }
}

/** Of the open ones in a list of issues. */
export function numbersOf(list: readonly Readonly<Record<string, unknown>>[]): number[] {
  return list
    .filter(({ state }) => state === 'open')
    .flatMap(({ number }) => (isNumber(number) ? [number] : []))
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value < 2 ** 31
}

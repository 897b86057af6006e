import { cutText } from '@skein/contract'
import { cleanTitle, type PullRequest } from '@skein/core'
import { CodeHostError } from '../code-host.ts'

const MAX_BODY = 256 * 1024
const MAX_BRANCH = 255

/** What hosts have in common. Parsed from what a host answers, which may be anything. */
export function toPullRequest(answer: unknown): PullRequest {
  const { number, title, body, state, merged, merged_at: mergedAt, draft, head, base } = fieldsOf(answer)
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1 || number > 2 ** 31 - 1) {
    throw new CodeHostError('The response of the code host is not a pull request.', {
      isFinal: false,
    })
  }
  const isMerged = merged === true || (typeof mergedAt === 'string' && mergedAt !== '')
  return {
    number,
    title: cleanTitle(textOf(title)),
    body: cutText(textOf(body), MAX_BODY),
    state: isMerged ? 'merged' : state === 'open' ? 'open' : 'closed',
    draft: draft === true,
    head: cutText(textOf(fieldsOf(head)['ref']), MAX_BRANCH),
    base: cutText(textOf(fieldsOf(base)['ref']), MAX_BRANCH),
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** PostgreSQL stores no NUL, and no half of a surrogate pair. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : ''
}

import type { SkeinApiError } from '@skein/client'

/** Lists all invalid fields: the message itself names only the first and counts the others. */
export function messageOf(error: SkeinApiError): string {
  const { message, violations } = error
  if (violations.length <= 1) return message
  const [first] = violations
  const title = message.replace(/ \(and \d+ more\)\.?$/, '')
  const isFirstNamed = first !== undefined && title.includes(first.description)
  const lines = violations
    .slice(isFirstNamed ? 1 : 0)
    .map(({ field, description }) => (field === '' ? description : `${field}: ${description}`))
  return [title, ...lines].join('\n')
}

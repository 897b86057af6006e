import type { FieldViolation } from '../validation.ts'

/** For a message to people: the first one, and how many more the details list. */
export function summarizeViolations(violations: readonly FieldViolation[]): string {
  const [first, ...others] = violations
  if (!first) return 'nothing'
  const text = first.field === '' ? `the body ${first.description}` : `${first.field}: ${first.description}`
  return others.length === 0 ? text : `${text} (and ${others.length} more)`
}

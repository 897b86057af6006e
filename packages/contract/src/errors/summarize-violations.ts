import type { FieldViolation } from '../validation.ts'

/** For people: the first violation, and how many more there are. */
export function summarizeViolations(violations: readonly FieldViolation[]): string {
  const [first, ...others] = violations
  if (!first) return 'nothing'
  const text = first.field === '' ? `the body ${first.description}` : `${first.field}: ${first.description}`
  return others.length === 0 ? text : `${text} (and ${others.length} more)`
}

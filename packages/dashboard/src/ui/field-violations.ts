import { SkeinApiError } from '@skein/client'

/** The service's violations by field, such as `tasks[0].subject`. */
export type FieldViolations = Readonly<Record<string, string>>

export function readFieldViolations(error: unknown): FieldViolations {
  if (!(error instanceof SkeinApiError)) return {}
  const violations: Record<string, string> = {}
  for (const detail of error.details) {
    const list: unknown = detail['fieldViolations']
    if (!Array.isArray(list)) continue
    for (const violation of list) {
      const { field, description } = readViolation(violation)
      if (description !== '') violations[field] ??= description
    }
  }
  return violations
}

function readViolation(value: unknown): { readonly field: string; readonly description: string } {
  if (typeof value !== 'object' || value === null) return { field: '', description: '' }
  const { field, description }: { field?: unknown; description?: unknown } = value
  return {
    field: typeof field === 'string' ? field : '',
    description: typeof description === 'string' ? description : '',
  }
}

/** The violation of a field or of anything inside it. */
export function findViolation(violations: FieldViolations, field: string): string | undefined {
  const exact = violations[field]
  if (exact !== undefined) return exact
  const inside = Object.entries(violations).find(
    ([name]) => name.startsWith(`${field}[`) || name.startsWith(`${field}.`),
  )
  return inside && `${inside[0].slice(field.length).replace(/^\./, '')}: ${inside[1]}`
}

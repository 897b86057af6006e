import { SkeinError, summarizeViolations, type FieldViolation } from '@skein/contract'
import { isDocument } from '../catalog/document.ts'
import { globProblem } from '../globs/parse-glob.ts'

const MAX_VIOLATIONS = 100

interface Conditional {
  readonly activation?: unknown
}

/** Validates the activation conditions of tasks. */
export function activationViolations(tasks: readonly Conditional[]): FieldViolation[] {
  const violations: FieldViolation[] = []
  for (const [index, { activation }] of tasks.entries()) {
    const pattern = patternIn(activation)
    const description = pattern === '' ? undefined : globProblem(pattern)
    if (description === undefined) continue
    violations.push({ field: `tasks[${index}].activation.filesModified.pattern`, description })
    if (violations.length === MAX_VIOLATIONS) break
  }
  return violations
}

function patternIn(activation: unknown): string {
  const condition = isDocument(activation) ? activation['filesModified'] : undefined
  const pattern = isDocument(condition) ? condition['pattern'] : undefined
  return typeof pattern === 'string' ? pattern : ''
}

export function requireActivations(tasks: readonly Conditional[]): void {
  const violations = activationViolations(tasks)
  if (violations.length === 0) return
  const message = `The request is not valid: ${summarizeViolations(violations)}.`
  throw new SkeinError('REQUEST_INVALID', { message, violations })
}

import { SkeinError, summarizeViolations, type FieldViolation } from '@skein/contract'
import { globProblem } from '../globs/parse-glob.ts'
import { isRecord } from './json.ts'

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
  const condition = isRecord(activation) ? activation['filesModified'] : undefined
  const pattern = isRecord(condition) ? condition['pattern'] : undefined
  return typeof pattern === 'string' ? pattern : ''
}

export function requireActivations(tasks: readonly Conditional[]): void {
  const violations = activationViolations(tasks)
  if (violations.length === 0) return
  const message = `The request is not valid: ${summarizeViolations(violations)}.`
  throw new SkeinError('REQUEST_INVALID', { message, violations })
}

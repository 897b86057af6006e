import { validatorFor, type Documents, type FieldViolation } from '@skein/contract'
import { textViolations, type TextProblem } from '../automations/triggers/trigger-violations.ts'
import { omitFields, serverSetFields, withDefaults, withoutNullFields, type Document } from './document.ts'
import { kindViolations } from './kind-rules.ts'
import { requireKind } from './not-found.ts'
import { parseDocument } from './parse-document.ts'

/** Whether a document could be written, apart from what it refers to. */
export function checkDocument<Name extends keyof Documents>(
  name: Name,
  document: Document,
  textProblems: readonly TextProblem[],
): { readonly violations: readonly FieldViolation[]; readonly checked?: Documents[Name] } {
  const kind = requireKind(name)
  const filled = withDefaults(kind, omitFields(withoutNullFields(kind, document), serverSetFields(kind)))
  const schemaViolations = validatorFor(kind.schema).violations(filled)
  if (schemaViolations.length > 0) return { violations: schemaViolations }
  const violations = [...kindViolations(kind, filled, undefined), ...textViolations(filled, textProblems)]
  return violations.length > 0 ? { violations } : { violations, checked: parseDocument(name, '', filled) }
}

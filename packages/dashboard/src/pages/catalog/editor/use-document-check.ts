import { useDeferredValue, useMemo } from 'react'
import { readFieldViolations } from '../../../ui/field-violations.ts'
import { createDocumentCheck, locateViolations } from './check-document.ts'
import { readEditable, type EditedKind } from '../../../catalog/resource-text.ts'

/** Problems in the current text, checked after typing. */
export function useDocumentCheck(kind: EditedKind, name: string, text: string, refusal: unknown) {
  const settled = useDeferredValue(text)
  const check = useMemo(() => createDocumentCheck(kind.jsonSchema), [kind])
  return useMemo(() => {
    const read = readEditable(kind, name, settled)
    const problems = check(read)
    return {
      settled,
      document: read.document,
      isWrong: problems.length > 0,
      problems: [...problems, ...locateViolations(readFieldViolations(refusal), read)],
    }
  }, [kind, name, settled, check, refusal])
}

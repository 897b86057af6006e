import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema'
import { isDocument, type FieldPath, type ReadDocument, type TextProblem } from '@skein/resource-files'
import type { FieldViolations } from '../../../ui/field-violations.ts'

/** Errors that only say that something inside is wrong, which is reported separately. */
const AROUND = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
])

/** Finds schema violations with their position in the text. */
export function createDocumentCheck(jsonSchema: object): (read: ReadDocument) => readonly TextProblem[] {
  const validator = isSchema(jsonSchema) ? new Validator(jsonSchema, '2020-12', false) : undefined
  return (read) => {
    if (read.problems.length > 0 || validator === undefined) return read.problems
    const { errors } = validator.validate(read.document)
    const problems = errors
      .filter(({ keyword }) => !AROUND.has(keyword))
      .map((error) => {
        const path = readPointer(error.instanceLocation)
        return { ...read.locate(path), message: explain(error, path) }
      })
    return problems.toSorted((left, right) => left.from - right.from)
  }
}

function isSchema(value: unknown): value is Schema {
  return isDocument(value)
}

function readPointer(pointer: string): FieldPath {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

function explain({ keyword, error }: OutputUnit, path: FieldPath): string {
  const field = formatPath(path)
  const [quoted = ''] = /(?<=")[^"]*(?="\.?$)/.exec(error) ?? []
  if (keyword === 'required')
    return `${field === '' ? 'The document' : field} is missing the field ${quoted}.`
  if (keyword === 'false') return `Unknown field: ${field}.`
  if (keyword === 'type') return `${field} must be of the type ${quoted}.`
  if (keyword === 'enum') return `${field} must be one of ${/\[.*\]/.exec(error)?.[0].slice(1, -1) ?? ''}.`
  if (keyword === 'pattern')
    return `${field} has the wrong format. A name, for example, consists of a-z, 0-9 and -.`
  return `${field}: ${error}`
}

/** `repos[0].url`, as the service writes it. */
export function formatPath(path: FieldPath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}

export function parsePath(field: string): FieldPath {
  return [...field.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([part, index]) =>
    index === undefined ? part : Number(index),
  )
}

/** The service's violations, with their position in the text. */
export function locateViolations(violations: FieldViolations, read: ReadDocument): readonly TextProblem[] {
  return Object.entries(violations).map(([field, description]) => ({
    ...read.locate(parsePath(field)),
    message: `${field}: ${description}`,
  }))
}

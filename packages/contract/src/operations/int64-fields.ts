import { OPERATIONS } from './table.ts'
import type { Operation } from './operation.ts'

/**
 * Field names that are 64-bit integers wherever they occur in a request body. A JSON parser needs them before it
 * knows the schema: once a bare `9007199254740993` has become a float, its last digit is lost.
 */
export function int64FieldNames(): ReadonlySet<string> {
  const names = new Set<string>()
  const operations: readonly Operation[] = OPERATIONS
  for (const operation of operations) collect(operation.body, names)
  return names
}

function collect(schema: unknown, names: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return
  if ('properties' in schema && typeof schema.properties === 'object' && schema.properties !== null) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (isInt64Schema(property)) names.add(name)
    }
  }
  for (const part of Object.values(schema)) collect(part, names)
}

function isInt64Schema(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'format' in schema && schema.format === 'int64'
}

import type { Static, TObject } from 'typebox'
import { Value } from 'typebox/value'
import { validatorFor } from './validation.ts'

/** A setting the operator must fix. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reads settings from the environment, once. Reports all problems together. */
export function readSettings<Schema extends TObject>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Static<Schema>> {
  const given = Object.fromEntries(
    Object.keys(schema.properties)
      .map((name): [string, string] => [name, environment[name] ?? ''])
      .filter(([, value]) => value !== ''),
  )
  const validator = validatorFor(schema)
  const settings = validator.withDefaults(Value.Convert(schema, given))
  const violations = validator.violations(settings)
  if (violations.length > 0 || !isSettings(schema, settings)) {
    throw new ConfigError(
      violations
        .map(({ field, description }) => `${field} ${description} (see docs/configuration.md)`)
        .join('\n'),
    )
  }
  return Object.freeze(settings)
}

function isSettings<Schema extends TObject>(schema: Schema, value: unknown): value is Static<Schema> {
  return validatorFor(schema).violations(value).length === 0
}

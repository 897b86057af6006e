import { Type, type Static, type TObject, type TString } from 'typebox'
import { Value } from 'typebox/value'
import { validatorFor } from './validation.ts'

/** A setting the operator must fix. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Environment = Readonly<Record<string, string | undefined>>
type ReadFile = (path: string) => string

const MAX_SECRET_FILE_CHARACTERS = 65_536

/** A setting that may also come from a file, which the variable with `_FILE` appended names. */
export function secretSetting(options: { readonly description: string }): TString {
  return Type.String({ default: '', ...options, isSecret: true })
}

export function isSecretSetting(setting: object): boolean {
  return 'isSecret' in setting && setting.isSecret === true
}

/** The same for each program. */
export const LogLevel = Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
  default: 'info',
  description: 'The least severe log lines to write. Lines are JSON on standard output.',
})
export type LogLevel = Static<typeof LogLevel>

/** Reads settings from the environment, once. Reports all problems together. */
export function readSettings<Schema extends TObject>(
  schema: Schema,
  environment: Environment,
  readFile: ReadFile,
): Readonly<Static<Schema>> {
  const given = Object.fromEntries(
    Object.entries(schema.properties)
      .map(([name, setting]): [string, string] => [
        name,
        (isSecretSetting(setting) ? readSecret(name, environment, readFile) : environment[name]) ?? '',
      ])
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

/**
 * A secret from its variable or from the file that `<name>_FILE` names; undefined if neither is set. The messages
 * contain neither the content nor the path, because somebody may have put the secret itself where the path belongs.
 */
export function readSecret(name: string, environment: Environment, readFile: ReadFile): string | undefined {
  const value = environment[name] ?? ''
  const path = environment[`${name}_FILE`] ?? ''
  if (path === '') return value === '' ? undefined : value
  if (value !== '') throw new ConfigError(`${name} and ${name}_FILE are both set. Set only one of them.`)
  let content: string
  try {
    content = readFile(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    throw new ConfigError(`${name}_FILE names a file that cannot be read (${code}).`)
  }
  if (content.length > MAX_SECRET_FILE_CHARACTERS)
    throw new ConfigError(`${name}_FILE names a file that is too large for a secret.`)
  const secret = content.replace(/[\r\n]+$/, '')
  if (secret === '') throw new ConfigError(`${name}_FILE names an empty file.`)
  return secret
}

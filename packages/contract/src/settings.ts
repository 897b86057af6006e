import { Type, type Static, type TObject, type TString } from 'typebox'
import { Value } from 'typebox/value'
import { ConfigError, readSecret, type Environment, type ReadFile } from './facts/read-secret.ts'
import { validatorFor } from './validation.ts'

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

/** The standard variable of OpenTelemetry, the same for each program. */
export const TraceEndpoint = Type.String({
  default: '',
  pattern: '^(https?://.*)?$',
  description:
    'URL of an OpenTelemetry collector (OTLP over HTTP). The program adds `/v1/traces` and sends its traces there. Set it for servers and runners. Empty means no traces.',
})

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

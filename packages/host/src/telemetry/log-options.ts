import { traceFields } from './trace-fields.ts'

/** Possible secrets are redacted from every line. */
const SECRETS = [
  'authorization',
  'headers.authorization',
  'headers.cookie',
  'req.headers.authorization',
  'req.headers.cookie',
  'payload',
  'key',
  'secret',
  'signingKey',
  'value',
  'connectionString',
]

/** Options for pino: all programs write the same lines, name themselves in `service`, and say which trace it is. */
export function logOptions<Level extends string>({ service, level }: { service: string; level: Level }) {
  return { level, redact: { paths: SECRETS, censor: '[redacted]' }, base: { service }, mixin: traceFields }
}

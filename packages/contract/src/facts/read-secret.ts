/** A setting the operator must fix. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export type Environment = Readonly<Record<string, string | undefined>>
export type ReadFile = (path: string) => string

const MAX_SECRET_FILE_CHARACTERS = 65_536

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

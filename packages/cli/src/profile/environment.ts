export type Environment = Readonly<Record<string, string | undefined>>

/** A variable that is set to nothing counts as not set. */
export function setting(env: Environment, name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}

export type Environment = Readonly<Record<string, string | undefined>>

/** An empty variable counts as not set. */
export function setting(env: Environment, name: string): string | undefined {
  const value = env[name]
  return value === '' ? undefined : value
}

/** The workspace that every tenant has. */
const BUILT_IN = 'default'

/**
 * Where an agent goes whose caller names no workspace, of those that the tenant sees: its only own one, otherwise the
 * one that is always there.
 */
export function defaultWorkspace(names: readonly string[]): string {
  const [own, ...others] = names.filter((name) => name !== BUILT_IN)
  return own !== undefined && others.length === 0 ? own : BUILT_IN
}

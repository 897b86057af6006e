/** The workspace every tenant has. */
const BUILT_IN = 'default'

/**
 * The workspace for an agent whose caller names none: the tenant's own if it has exactly one, otherwise the
 * built-in.
 */
export function defaultWorkspace(names: readonly string[]): string {
  const [own, ...others] = names.filter((name) => name !== BUILT_IN)
  return own !== undefined && others.length === 0 ? own : BUILT_IN
}

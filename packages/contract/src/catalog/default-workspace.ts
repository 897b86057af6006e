/**
 * Where an agent goes whose caller names no workspace, of those that the tenant sees: its only own one, otherwise the
 * one named default, which is always there.
 */
export function defaultWorkspace(names: readonly string[]): string {
  const [own, ...others] = names.filter((name) => name !== 'default')
  return own !== undefined && others.length === 0 ? own : 'default'
}

/** The wire calls the two built-in backends a and b. People know them by the programs they run. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['a', 'claude'],
  ['b', 'codex'],
])

export function backendName(backend: string): string {
  return NAMES.get(backend) ?? backend
}

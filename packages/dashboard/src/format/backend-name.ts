/** The wire calls the two backends a and b; people call them by the programs that they run. */
const NAMES: Readonly<Record<string, string>> = { a: 'claude', b: 'codex' }

export function backendName(backend: string): string {
  return NAMES[backend] ?? backend
}

/** The catalog calls the two built-in backends a and b; people know them by the programs that they run. */
const TITLES: Readonly<Record<string, string>> = { a: 'claude', b: 'codex' }

export function backendTitle(name: string): string {
  return TITLES[name] ?? name
}

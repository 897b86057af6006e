import { readFileSync } from 'node:fs'

/** The package's own: one folder above, in the sources as in the build. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const { version } = { version: 'unknown', ...(typeof manifest === 'object' && manifest) }
  return version
}

/** What the service sees of us. */
export function userAgentOf(program: string): string {
  return `${program}/${readVersion()}`
}

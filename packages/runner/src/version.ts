import { readFileSync } from 'node:fs'

/** The package's own manifest: one folder up, both in the sources and in the build. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const { version } = { version: 'unknown', ...(typeof manifest === 'object' && manifest) }
  return version
}

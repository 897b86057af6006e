import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The repository, for tests that compare its pages with its files. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

const excluded = ['**/node_modules/**', '**/dist/**', '.skein/**']

export async function files(pattern: string): Promise<string[]> {
  const found: string[] = []
  for await (const path of glob(pattern, { cwd: root, exclude: excluded })) found.push(path)
  return found
}

export const read = (path: string): Promise<string> => readFile(`${root}${path}`, 'utf8')

import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Random } from '@skein/testkit'

/** Files of core, chosen at random until they have so many percent of its lines. The same seed chooses the same. */
export async function sampleFiles(root: string, percent: number, seed: number): Promise<string[]> {
  if (!(percent > 0 && percent <= 100)) throw new Error('--sample must be a percentage.')
  const random = new Random(seed)
  const files: { readonly path: string; readonly lines: number; readonly place: number }[] = []
  const paths = await Array.fromAsync(glob('packages/core/src/*/**/*.ts', { cwd: root }))
  for (const path of paths.toSorted()) {
    const lines = (await readFile(join(root, path), 'utf8')).split('\n').length
    files.push({ path, lines, place: random.next() })
  }
  const wanted = (files.reduce((sum, { lines }) => sum + lines, 0) * percent) / 100
  const chosen: string[] = []
  let lines = 0
  for (const file of files.toSorted((one, other) => one.place - other.place)) {
    if (lines >= wanted) break
    chosen.push(file.path)
    lines += file.lines
  }
  return chosen
}

/** `node scripts/release/notes.ts`: prints the changelog section of this checkout's version. Needs no packages. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRelease } from './change-notes.ts'
import { readWorkspaces, theVersion } from './workspaces.ts'

const root = join(import.meta.dirname, '..', '..')
const version = theVersion(await readWorkspaces(root))
console.log(readRelease(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version))

/** `node scripts/release/notes.ts`: what the changelog says about the version of this checkout. Needs no packages. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRelease } from './change-notes.ts'
import { readWorkspaces, theVersion } from './workspaces.ts'

const root = join(import.meta.dirname, '..', '..')
const version = theVersion(await readWorkspaces(root))
console.log(readRelease(await readFile(join(root, 'CHANGELOG.md'), 'utf8'), version))

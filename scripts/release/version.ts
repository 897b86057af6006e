import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addRelease, readChangeNotes } from './change-notes.ts'
import { ask } from './run.ts'
import { readManifest, readWorkspaces, theVersion } from './workspaces.ts'

/**
 * Turns the change notes into a version and changelogs. Without notes, this was already done. Returns the version.
 */
export async function makeVersion(root: string): Promise<string> {
  const notes = await readChangeNotes(root)
  if (notes.length > 0) {
    await ask(root, 'npx', 'changeset', 'version')
    const version = theVersion(await readWorkspaces(root))
    await edit(join(root, 'package.json'), (text) =>
      text.replace(/^ {2}"version": "[^"]*"/m, `  "version": "${version}"`),
    )
    await edit(join(root, 'package-lock.json'), async (text) => updateLock(root, text))
    const date = new Date().toISOString().slice(0, 10)
    await edit(join(root, 'CHANGELOG.md'), (text) => addRelease(text, { version, date, notes }))
    await ask(root, 'npx', 'prettier', '--write', 'CHANGELOG.md', 'packages/*/{CHANGELOG.md,package.json}')
    await ask(root, 'npm', 'run', '--silent', 'generate')
  }
  const version = theVersion(await readWorkspaces(root))
  if (version === '0.0.0')
    throw new Error('There is nothing to release: add a change note with npx changeset.')
  return version
}

/** Only our own entries: a release must not change a dependency, as `npm install` might. */
async function updateLock(root: string, text: string): Promise<string> {
  const lock = JSON.parse(text) as { version: string; packages: Record<string, object> }
  const { version } = await readManifest(root)
  lock.version = version
  lock.packages[''] = { ...lock.packages[''], version }
  for (const { folder, manifest } of await readWorkspaces(root)) {
    const { version: own, dependencies, devDependencies, peerDependencies } = manifest
    const needs = { dependencies, devDependencies, peerDependencies }
    lock.packages[folder] = { ...lock.packages[folder], version: own, ...needs }
  }
  return `${JSON.stringify(lock, null, 2)}\n`
}

async function edit(path: string, change: (text: string) => string | Promise<string>): Promise<void> {
  await writeFile(path, await change(await readFile(path, 'utf8')))
}

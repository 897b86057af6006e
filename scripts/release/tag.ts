import { ask } from './run.ts'

/** Only committed changes are released. */
export async function requireClean(root: string): Promise<void> {
  const changes = await ask(root, 'git', 'status', '--porcelain')
  if (changes !== '') throw new Error(`Commit or remove these changes first:\n${changes}`)
}

/** Commits the version's changes, unless that was already done. */
export async function commitVersion(root: string, version: string): Promise<void> {
  if ((await ask(root, 'git', 'status', '--porcelain')) === '') return
  await ask(root, 'git', 'add', '--all')
  await ask(root, 'git', 'commit', '--quiet', '--message', `chore: release v${version}`)
}

/** Tags this commit. An existing tag must point to it. */
export async function tagCommit(root: string, version: string): Promise<void> {
  const tag = `v${version}`
  if (await isTagged(root, version)) return
  if ((await ask(root, 'git', 'tag', '--list', tag)) !== '') {
    throw new Error(`${tag} is the tag of another commit. Add a change note, so that there is a new version.`)
  }
  await ask(root, 'git', 'tag', '--annotate', tag, '--message', `Skein ${version}`)
}

export async function isTagged(root: string, version: string): Promise<boolean> {
  const tags = await ask(root, 'git', 'tag', '--points-at', 'HEAD')
  return tags.split('\n').includes(`v${version}`)
}

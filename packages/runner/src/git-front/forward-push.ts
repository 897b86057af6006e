import { classifyGitFailure } from '../git/git-error.ts'
import type { MirrorCache } from '../git/mirror-cache.ts'
import type { Repo } from '../git/repo-address.ts'
import { isCreation, isDeletion, type ReceivedPush, type RefUpdate } from './receive-hook.ts'

/** Makes the objects of an unaccepted push readable for git on the mirror. Deletions have none. */
export function quarantineEnv(mirrorDir: string, quarantine: string): Record<string, string> {
  if (quarantine === '') return {}
  return { GIT_OBJECT_DIRECTORY: quarantine, GIT_ALTERNATE_OBJECT_DIRECTORIES: `${mirrorDir}/objects` }
}

/** Why the push is rejected, as lines for the agent; undefined if the upstream accepted it. */
export async function forwardPush(
  mirrors: MirrorCache,
  repo: Repo,
  { updates, quarantine }: ReceivedPush,
): Promise<readonly string[] | undefined> {
  const refs = await mirrors.listRefs(repo)
  const moved = updates.filter(
    (update) => (refs.get(update.ref) ?? '') !== (isCreation(update) ? '' : update.old),
  )
  if (moved.length > 0) return movedLines(moved)
  const { url } = mirrors.addressOf(repo)
  const outcome = await mirrors.runUpstream(
    repo,
    [
      'push',
      '--porcelain',
      // Not every host supports it, and a single ref doesn't need it.
      ...(updates.length > 1 ? ['--atomic'] : []),
      ...updates.map((update) => `--force-with-lease=${update.ref}:${isCreation(update) ? '' : update.old}`),
      url,
      ...updates.map((update) => `${isDeletion(update) ? '' : update.new}:${update.ref}`),
    ],
    quarantineEnv(mirrors.dirOf(repo), quarantine),
  )
  if (outcome.code === 0) return undefined
  if (/\(stale info\)|\(fetch first\)/.test(outcome.stdout)) {
    // The following fetch must not return what is known to be outdated.
    mirrors.expire(repo)
    return movedLines(updates)
  }
  const rejected = outcome.stdout.split('\n').filter((line) => line.startsWith('!'))
  if (rejected.length === 0) return [classifyGitFailure(url, outcome.stderr, outcome.isTimedOut).message]
  const said = outcome.stderr.split('\n').filter((line) => line.startsWith('remote:'))
  return [
    `The repository ${url} rejected the push:`,
    ...rejected.map((line) => `  ${line.slice(2).split('\t').slice(1).join(' ')}`),
    ...said.slice(0, 40).map((line) => `  ${line.replace(/^remote: ?/, '').slice(0, 300)}`),
  ]
}

function movedLines(updates: readonly RefUpdate[]): string[] {
  return [
    `Someone else has changed ${updates.map(({ ref }) => ref).join(', ')} in the meantime.`,
    'Fetch, check the changes, and push again.',
  ]
}

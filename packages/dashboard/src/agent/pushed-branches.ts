import type { TimelineEvent, TimelineEventRunPushed } from '@skein/client'

/** A branch the agent pushed to, with all its pushes. */
export interface PushedBranch {
  readonly repo: string
  readonly ref: string
  readonly name: string
  /** Newest first. */
  readonly pushes: readonly TimelineEventRunPushed[]
  /** Files of all pushes, sorted by path, without duplicates. */
  readonly files: readonly string[]
}

/** Most recently pushed first. */
export function collectBranches(events: readonly TimelineEvent[]): readonly PushedBranch[] {
  const branches = new Map<string, PushedBranch>()
  for (const event of events) {
    if (event.type !== 'run.pushed') continue
    const key = `${event.repo} ${event.ref}`
    const { repo, ref } = event
    const before = branches.get(key) ?? { repo, ref, name: branchName(ref), pushes: [], files: [] }
    const files = [...new Set([...before.files, ...event.files])].sort()
    // Inserted again, so that the order is that of the last push.
    branches.delete(key)
    branches.set(key, { ...before, pushes: [event, ...before.pushes], files })
  }
  return [...branches.values()].toReversed()
}

export function branchName(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '')
}

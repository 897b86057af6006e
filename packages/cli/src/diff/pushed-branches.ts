import type { TimelineEvent } from '@skein/client'

/** An agent's branch after its last push. */
export interface PushedBranch {
  readonly repo: string
  readonly ref: string
  readonly commit: string
}

const REF = /^refs\/heads\/[\w./-]+$/
const COMMIT = /^[0-9a-f]{40,64}$/

/** The last push of each branch, in the order of their first pushes. Skips names git could misinterpret. */
export async function readPushedBranches(events: AsyncIterable<TimelineEvent>): Promise<PushedBranch[]> {
  const branches = new Map<string, PushedBranch>()
  for await (const event of events) {
    if (event.type !== 'run.pushed') continue
    const { repo, ref, commit } = event
    if (REF.test(ref) && COMMIT.test(commit)) branches.set(`${repo} ${ref}`, { repo, ref, commit })
  }
  return [...branches.values()]
}

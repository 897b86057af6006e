import { takeLeftovers, type Leftover } from '@skein/contract'
import { AgentSaves } from '../blobs/agent-saves.ts'
import { identityOf, openWorkspace } from '../run/open-workspace.ts'
import type { RunnerParts } from '../run/parts.ts'
import { parseSavedSession } from '../run/saved-session.ts'
import { nameAgent } from '../workspace/agent-names.ts'
import { namesOf } from '../runner-event.ts'

/** Removes what the service no longer keeps of ended agents: conversations, unfinished work, folders. */
export async function removeLeftovers(
  parts: RunnerParts,
  pools: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const scope = pools.length > 0 ? { pools: [...pools] } : {}
  let removed: string[] = []
  do {
    const body = { ...scope, removed }
    const { leftovers, holdMs } = await parts.transport.call(takeLeftovers, { body, signal })
    removed = await removeInTime(parts, leftovers, performance.now() + holdMs / 2, signal)
  } while (removed.length > 0)
}

/** What remains after half of the time is left for the runner that asks next. */
async function removeInTime(
  parts: RunnerParts,
  leftovers: readonly Leftover[],
  until: number,
  signal: AbortSignal,
): Promise<string[]> {
  const removed: string[] = []
  for (const leftover of leftovers) {
    if (signal.aborted || performance.now() > until) break
    try {
      await removeLeftover(parts, leftover, until)
      removed.push(leftover.id)
    } catch (error) {
      const message = `The data of an ended agent could not be removed: ${messageOf(error)}`
      parts.onEvent({ type: 'problem', about: namesOf(leftover.agentId), message })
    }
  }
  return removed
}

/** Can be repeated. The conversation comes first, because it needs no repository. */
async function removeLeftover(parts: RunnerParts, leftover: Leftover, until: number): Promise<void> {
  const { hash } = nameAgent(identityOf(leftover.agentId))
  await removeSaves(new AgentSaves(parts.blobs, hash), parseSavedSession(leftover.session)?.snapshot, until)
  // Matches no desk, so an open one is closed.
  await parts.desks.take(hash, { fingerprint: '', snapshot: '' })
  const workspace = await openWorkspace(parts, leftover)
  try {
    await workspace.forgetSavedWork()
  } catch (error) {
    await workspace.close()
    throw error
  }
  await workspace.remove()
}

/** All of them, including what killed attempts left. A list that took too long may contain a next incarnation's. */
async function removeSaves(saves: AgentSaves, saved: string | undefined, until: number): Promise<void> {
  if (saved !== undefined) await saves.remove([saved])
  let listed: string[]
  do {
    listed = await saves.list()
    if (listed.length > 0 && performance.now() > until) throw new Error('The blob store is too slow')
    await saves.remove(listed)
  } while (listed.length > 0)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

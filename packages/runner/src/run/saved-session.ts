import { isUuid } from '@skein/contract/facts'
import type { SessionRef } from '../backends/backend.ts'
import { isRecord, parseJson } from '../json.ts'

/**
 * What the service stores for us between turns. Another runner may have written it, and not every runner is trusted:
 * it can name a save of this agent, but no path in the blob store.
 */
export interface SavedSession {
  readonly session: SessionRef
  /** The run it was saved in: a retry of that run finds its own prompt in it. */
  readonly runId: string
  /** Names the save: its transcript in the blob store, and the matching state of the workspace. */
  readonly snapshot: string
}

const VERSION = 1

export function formatSavedSession(saved: SavedSession): string {
  return JSON.stringify({ version: VERSION, ...saved })
}

/** Undefined if it isn't one of ours: the agent then starts a new conversation. */
export function parseSavedSession(text: string): SavedSession | undefined {
  if (text === '') return undefined
  const value: unknown = parseJson(text)
  if (!isRecord(value) || value['version'] !== VERSION || !isRecord(value['session'])) return undefined
  const { backend, id, transcript } = value['session']
  const { runId, snapshot } = value
  if (typeof backend !== 'string' || typeof id !== 'string' || typeof transcript !== 'string')
    return undefined
  if (typeof runId !== 'string' || typeof snapshot !== 'string' || !isUuid(snapshot)) return undefined
  return { session: { backend, id, transcript }, runId, snapshot }
}

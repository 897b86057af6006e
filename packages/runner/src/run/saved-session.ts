import type { SessionRef } from '../backends/backend.ts'
import { isRecord, parseJson } from '../json.ts'

/** What the service keeps for us between turns: where the conversation is and who saved it last. */
export interface SavedSession {
  readonly session: SessionRef
  /** Where the transcript is in the blob store. */
  readonly blob: string
  /** The run that it was saved in: a retry of that run finds its own prompt in it. */
  readonly runId: string
  /** Names the state of the workspace that was saved with it. A folder that bears the same name is up to date. */
  readonly snapshot: string
}

const VERSION = 1

export function formatSavedSession(saved: SavedSession): string {
  return JSON.stringify({ version: VERSION, ...saved })
}

/** Undefined for a text of another version: the agent then begins a new conversation. */
export function parseSavedSession(text: string): SavedSession | undefined {
  if (text === '') return undefined
  const value: unknown = parseJson(text)
  if (!isRecord(value) || value['version'] !== VERSION || !isRecord(value['session'])) return undefined
  const { backend, id, transcript } = value['session']
  const { blob, runId, snapshot } = value
  if (typeof backend !== 'string' || typeof id !== 'string' || typeof transcript !== 'string')
    return undefined
  if (typeof blob !== 'string' || typeof runId !== 'string' || typeof snapshot !== 'string') return undefined
  return { session: { backend, id, transcript }, blob, runId, snapshot }
}

import { randomUUID } from 'node:crypto'
import type { Assignment } from '@skein/contract'
import type { SessionRef } from '../backends/backend.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { AgentWorkspace } from '../workspace/agent-workspace.ts'
import { saveSession } from '../workspace/session-files.ts'
import type { Desk } from './desk.ts'
import { blobKeyOf, formatSavedSession, parseSavedSession, type SavedSession } from './saved-session.ts'

export interface DeskSaverOptions {
  readonly blobs: BlobStore
  readonly assignment: Assignment
  readonly workspace: AgentWorkspace
  readonly desk: Desk
  readonly redactor: Redactor
}

/**
 * Saves a desk's conversation and workspace. Each save has its own name, so what the service refers to is never
 * changed, neither by a save it doesn't know about yet nor by an attempt it has given up.
 */
export class DeskSaver {
  session: SessionRef | undefined
  readonly #blobs: BlobStore
  readonly #workspace: AgentWorkspace
  readonly #desk: Desk
  readonly #redactor: Redactor
  readonly #runId: string
  /** The last run in the conversation. It becomes this run once the agent has started to answer. */
  #rememberedRunId: string
  #written: string[]

  constructor({ blobs, assignment, workspace, desk, redactor }: DeskSaverOptions) {
    const saved: SavedSession | undefined = parseSavedSession(assignment.session)
    this.#blobs = blobs
    this.#workspace = workspace
    this.#desk = desk
    this.#redactor = redactor
    this.#runId = assignment.runId
    this.#rememberedRunId = saved?.runId ?? ''
    this.#written = [parseSavedSession(assignment.discarded), saved].flatMap((each) =>
      each ? [blobKeyOf(workspace.names.hash, each)] : [],
    )
    this.session = saved?.session
  }

  /** The agent is answering: its prompt is now part of the conversation and must not be sent again. */
  markBegun(): void {
    this.#rememberedRunId = this.#runId
  }

  /** What the service should store; undefined if there is no conversation to save. */
  async save(
    onProblem: (problem: string, what: 'work' | 'conversation') => void,
  ): Promise<string | undefined> {
    const { sandbox } = this.#desk
    for (const { repo, outcome } of await this.#workspace.saveWork(sandbox)) {
      if (outcome.status === 'failed')
        onProblem(`The work in ${repo} could not be saved: ${outcome.reason}`, 'work')
    }
    const { session } = this
    if (!session) return undefined
    const snapshot = randomUUID()
    const blob = blobKeyOf(this.#workspace.names.hash, { snapshot })
    const outcome = await saveSession({
      sandbox,
      store: this.#blobs,
      key: blob,
      session,
      redactor: this.#redactor,
    })
    if (!outcome.isDone) {
      onProblem(`The conversation could not be saved: ${outcome.reason}`, 'conversation')
      return undefined
    }
    this.#written.push(blob)
    this.#desk.snapshot = snapshot
    return formatSavedSession({ session, runId: this.#rememberedRunId, snapshot })
  }

  /** The service has the newest save, so the older ones are no longer needed. */
  async removeOlder(): Promise<void> {
    const older = this.#written.slice(0, -1)
    this.#written = this.#written.slice(-1)
    await Promise.allSettled(older.map((blob) => this.#blobs.remove(blob)))
  }
}

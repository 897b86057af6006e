import { randomUUID } from 'node:crypto'
import type { Assignment } from '@skein/contract'
import type { SessionRef } from '../backends/backend.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { AgentWorkspace } from '../workspace/agent-workspace.ts'
import { saveSession } from '../workspace/session-files.ts'
import type { Desk } from './desk.ts'
import { formatSavedSession, parseSavedSession } from './saved-session.ts'

/** Saves conversation and workspace of a desk, under a new name each time. */
export class DeskSaver {
  session: SessionRef | undefined
  readonly #blobs: BlobStore
  readonly #assignment: Assignment
  readonly #workspace: AgentWorkspace
  readonly #desk: Desk

  constructor(blobs: BlobStore, assignment: Assignment, workspace: AgentWorkspace, desk: Desk) {
    this.#blobs = blobs
    this.#assignment = assignment
    this.#workspace = workspace
    this.#desk = desk
    this.session = parseSavedSession(assignment.session)?.session
  }

  /** What the service is to keep; undefined when there is no conversation to save. */
  async save(onProblem: (problem: string) => void): Promise<string | undefined> {
    const { sandbox } = this.#desk
    for (const { repo, outcome } of await this.#workspace.saveWork(sandbox)) {
      if (outcome.status === 'failed') onProblem(`The work in ${repo} could not be saved: ${outcome.reason}`)
    }
    const { session } = this
    if (!session) return undefined
    const blob = `sessions/${this.#workspace.names.hash}`
    const outcome = await saveSession({ sandbox, store: this.#blobs, key: blob, session })
    if (!outcome.isDone) {
      onProblem(`The conversation could not be saved: ${outcome.reason}`)
      return undefined
    }
    this.#desk.snapshot = randomUUID()
    const { runId } = this.#assignment
    return formatSavedSession({ session, blob, runId, snapshot: this.#desk.snapshot })
  }
}

import { randomUUID } from 'node:crypto'
import type { Assignment } from '@skein/contract'
import type { SessionRef } from '../backends/backend.ts'
import { AgentSaves } from '../blobs/agent-saves.ts'
import type { BlobStore } from '@skein/host/blobs'
import type { Redactor } from '../secrets/redactor.ts'
import type { AgentWorkspace } from '../workspace/agent-workspace.ts'
import { saveSession } from '../workspace/session-files.ts'
import type { Desk } from './desk.ts'
import { formatSavedSession, parseSavedSession, type SavedSession } from './saved-session.ts'

export interface DeskSaverOptions {
  readonly blobs: BlobStore
  readonly assignment: Assignment
  readonly workspace: Pick<AgentWorkspace, 'names' | 'saveWork'>
  readonly desk: Pick<Desk, 'sandbox' | 'snapshot'>
  readonly redactor: Redactor
}

/**
 * Saves a desk's conversation and workspace. Each save has its own name, so what the service refers to is never
 * changed, neither by a save it doesn't know about yet nor by an attempt it has given up.
 */
export class DeskSaver {
  session: SessionRef | undefined
  readonly #blobs: BlobStore
  readonly #saves: AgentSaves
  readonly #workspace: DeskSaverOptions['workspace']
  readonly #desk: DeskSaverOptions['desk']
  readonly #redactor: Redactor
  readonly #runId: string
  /** The last run in the conversation. It becomes this run once the agent has started to answer. */
  #rememberedRunId: string
  /** Ours, and those that the service told us about, by snapshot. */
  readonly #known: string[]

  constructor({ blobs, assignment, workspace, desk, redactor }: DeskSaverOptions) {
    const saved: SavedSession | undefined = parseSavedSession(assignment.session)
    this.#blobs = blobs
    this.#saves = new AgentSaves(blobs, workspace.names.hash)
    this.#workspace = workspace
    this.#desk = desk
    this.#redactor = redactor
    this.#runId = assignment.runId
    this.#rememberedRunId = saved?.runId ?? ''
    this.#known = [parseSavedSession(assignment.discarded), saved].flatMap((each) =>
      each ? [each.snapshot] : [],
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
    const store = this.#blobs
    const isStored = await this.#saves.add(snapshot, async (key) => {
      const outcome = await saveSession({ sandbox, store, key, session, redactor: this.#redactor })
      if (!outcome.isDone) onProblem(`The conversation could not be saved: ${outcome.reason}`, 'conversation')
      return outcome.isDone
    })
    if (!isStored) return undefined
    this.#known.push(snapshot)
    this.#desk.snapshot = snapshot
    return formatSavedSession({ session, runId: this.#rememberedRunId, snapshot })
  }

  /**
   * Lists the agent's saves while the run is still ours. The result removes all but the reported one, to be called once
   * the service has accepted the report. Later attempts use other names, which are not in the list.
   */
  async planSweep(): Promise<(reported: string) => Promise<void>> {
    const listed = await this.#saves.list()
    return async (reported) => {
      const kept = parseSavedSession(reported)?.snapshot
      const found = [...new Set([...listed, ...this.#known])]
      await this.#saves.remove(found.filter((snapshot) => snapshot !== kept))
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { AgentChange, Decision } from '@skein/core'
import {
  isConnectionLost,
  loadTreeQuery,
  toLoadedTree,
  writeTreeQuery,
  type LoadedTree,
  type Session,
  type TreeChanges,
  type TreeQuery,
} from '@skein/store'
import type { RequestDigest } from './command-id.ts'
import { replay, RETRY_WINDOW_MS, type CommandOutcome } from './command.ts'
import type { EngineResources } from '../resources.ts'
import { projectChanges } from '../agents/project.ts'

/** Long enough to outlast a database that restarts, short enough for a caller who waits: about six seconds. */
const LOST_CONNECTION_PAUSES_MS = [50, 100, 200, 400, 800, 1600, 3200]

export interface TreeCommand<Answer> extends Pick<
  TreeQuery,
  'tenantId' | 'tree' | 'keys' | 'below' | 'followUpId'
> {
  /** The same for every retry of this command, by us or by the caller. */
  readonly commandId: Uint8Array
  readonly request: RequestDigest
  /** Whether the caller may send it again under the same key, so that even an answer without effect is kept. */
  readonly isKeyed: boolean
  /** Who the timeline says it was. */
  readonly actor: string
  /** What the audit says, where it says anything; written if the command changes something. */
  readonly audit?: TreeChanges['audit']
  decide(loaded: LoadedTree, now: number, session: Session): Decision<Answer> | Promise<Decision<Answer>>
}

/**
 * One command, one transaction, in its turn: locks the tree, loads what is touched, asks the rules, and writes state, timeline
 * and every consequence together with the command's own record. When the connection dies, even during COMMIT,
 * the whole is run again under the same id: the retry finds the record, or that nothing happened.
 */
export async function carryOutTreeCommand<Answer>(
  engine: EngineResources,
  command: TreeCommand<Answer>,
): Promise<CommandOutcome<Answer>> {
  for (const pauseMs of [...LOST_CONNECTION_PAUSES_MS, undefined]) {
    try {
      return await engine.treeTurns.take(
        `${command.tenantId}/${command.tree}`,
        () => attempt(engine, command),
        { isUrgent: engine.database.isUrgent },
      )
    } catch (error) {
      if (pauseMs === undefined || !isConnectionLost(error)) throw error
      await pause(pauseMs)
    }
  }
  throw new Error('unreachable: the last attempt answers or throws')
}

async function attempt<Answer>(
  { database, clock, wakeups }: EngineResources,
  command: TreeCommand<Answer>,
): Promise<CommandOutcome<Answer>> {
  const now = clock.now()
  let changed: readonly AgentChange[] = []
  const outcome = await database.command<CommandOutcome<Answer>>(
    command.tenantId,
    loadTreeQuery({ ...command, notBefore: now - RETRY_WINDOW_MS }),
    async (row, session) => {
      const loaded = toLoadedTree(row)
      if (loaded.earlier) return { write: undefined, result: replay(loaded.earlier, command.request) }
      const { answer, changes } = await command.decide(loaded, now, session)
      const result = { isReplay: false, answer } as const
      if (changes.length === 0 && !command.isKeyed) return { write: undefined, result }
      changed = changes
      const write = writeTreeQuery(command.tenantId, now, {
        actor: command.actor,
        ...projectChanges(changes),
        ...(changes.length > 0 && command.audit && { audit: command.audit }),
        command: {
          id: command.commandId,
          requestSha256: command.request.sha256,
          answer: answer ?? null,
        },
      })
      return { write, result }
    },
  )
  wakeups.publish(command.tenantId, changed)
  return outcome
}

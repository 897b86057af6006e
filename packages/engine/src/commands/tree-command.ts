import { trace } from '@opentelemetry/api'
import type { AgentChange, AgentState, Decision } from '@skein/core'
import { inSpan } from '@skein/host/telemetry'
import {
  AgentReader,
  loadTreeQuery,
  toLoadedTree,
  writeTreeQueries,
  type AgentAudit,
  type LoadedTree,
  type Query,
  type Transaction,
  type TreeQuery,
} from '@skein/store'
import type { EngineResources } from '../resources.ts'
import type { CommandIdentity } from './command-id.ts'
import { carryOutOnce, untilKnown, type CommandOutcome } from './command.ts'
import { activeTraceparent, traceQueuedRuns, type CommandTrace } from './run-traces.ts'

const tracer = trace.getTracer('skein-engine')

export interface TreeCommand<Answer>
  extends CommandIdentity, CommandTrace, Pick<TreeQuery, 'tenantId' | 'tree' | 'keys' | 'followUpId'> {
  /** Also loads all descendants of this agent. */
  readonly below?: string
  /** The actor shown on the timeline. */
  readonly actor: string
  /** The audit entry, if any. Written only if the command changes something. */
  readonly audit?: AgentAudit
  /** Loads more than the tree, in one statement. */
  readonly load?: TreeLoad | undefined
  /** What else to read in the same round trip as the tree, once it is locked. */
  readonly alongside?: ((transaction: Transaction) => Promise<void>) | undefined
  decide(
    loaded: LoadedTree & Descendants,
    now: number,
    transaction: Transaction,
  ): Decision<Answer> | Promise<Decision<Answer>>
}

interface Descendants {
  readonly below: readonly AgentState[]
}

/** Reads a tree, and what else a command needs once it is locked. */
export interface TreeLoad {
  query(query: TreeQuery): Query
  read(row: unknown): LoadedTree
}

const TREE_ALONE: TreeLoad = { query: loadTreeQuery, read: toLoadedTree }

/**
 * One command, one transaction: waits for its turn, locks the tree, loads what it touches, asks the rules, and
 * writes state, timeline and all effects together with the command's record.
 */
export async function carryOutTreeCommand<Answer>(
  engine: EngineResources,
  command: TreeCommand<Answer>,
): Promise<CommandOutcome<Answer>> {
  const { treeMutex, database } = engine
  const carryOut = () => {
    let isFirst = true
    return untilKnown(() => {
      const isKnownNew = command.isOurs && isFirst
      isFirst = false
      return treeMutex.take(
        `${command.tenantId}/${command.tree}`,
        () => attempt(engine, command, isKnownNew),
        { isUrgent: database.isUrgent },
      )
    })
  }
  // Only within a trace: a sweep begins none.
  return trace.getActiveSpan() ? inSpan(tracer, 'change agents', {}, carryOut) : carryOut()
}

async function attempt<Answer>(
  engine: EngineResources,
  command: TreeCommand<Answer>,
  isKnownNew: boolean,
): Promise<CommandOutcome<Answer>> {
  const { id, request, tenantId, actor, audit, load = TREE_ALONE, below: ancestor } = command
  let below: readonly AgentState[] = []
  let changed: readonly AgentChange[] = []
  let traces: ReadonlyMap<string, string> = new Map()
  const outcome = await carryOutOnce(engine, command, {
    load: (notBefore) => [
      load.query({ ...command, commandId: id, notBefore: isKnownNew ? undefined : notBefore }),
    ],
    read: (row) => ({ ...load.read(row), below }),
    alongside:
      ancestor === undefined
        ? command.alongside
        : async (transaction) => {
            const found = new AgentReader(transaction).below(ancestor)
            await Promise.all([found, command.alongside?.(transaction)])
            below = await found
          },
    async decide(loaded, now, transaction) {
      const { answer, changes } = await command.decide(loaded, now, transaction)
      if (changes.length === 0 && !command.isKeyed) return { answer, write: [] }
      changed = changes
      traces = traceQueuedRuns(changes, command.keys[0], command)
      const write = writeTreeQueries(tenantId, now, {
        actor,
        changes,
        ...(changes.length > 0 && audit && { audit }),
        traces: { ofCommand: command.traceparent ?? activeTraceparent(), ofRuns: traces },
        command: { id, requestSha256: request.sha256, answer: answer ?? null },
      })
      return { answer, write }
    },
  })
  engine.wakeups.publish(tenantId, changed)
  if (changed.length > 0) engine.events.emit({ type: 'changed', tenantId, changes: changed, traces })
  return outcome
}

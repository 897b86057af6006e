import type { Assignment } from '@skein/contract'
import {
  deliveryBatch,
  startRun as decideStart,
  StoredDocumentError,
  type AgentState,
  type Caller,
} from '@skein/core'
import { AgentReader, readRunSurroundings, type ClaimedRun, type Message } from '@skein/store'
import { commandRun } from '../commands/run-command.ts'
import { formatLease } from '../lease-id.ts'
import type { EngineResources } from '../resources.ts'
import { describeAssignment, surroundingNames } from './assignment.ts'
import { endRun } from './end-run.ts'
import { inRunTrace } from './run-trace.ts'

/**
 * The claim belongs to the queue. Only the agent decides whether the run may still start. A run that no runner could
 * execute, because a document it needs is broken, starts and fails at once: its agent says why.
 */
export async function startRun(
  engine: EngineResources,
  caller: Caller,
  run: ClaimedRun,
): Promise<Assignment | undefined> {
  return inRunTrace(run, (traceparent) => startTraced(engine, caller, run, traceparent))
}

async function startTraced(
  engine: EngineResources,
  caller: Caller,
  run: ClaimedRun,
  traceparent: string,
): Promise<Assignment | undefined> {
  engine.runPlaces.remember(run)
  let assignment: Assignment | undefined
  let broken: StoredDocumentError | undefined
  await commandRun(engine, run, {
    // Unique per claim: if its lease expired before it started, another claim may have started the same attempt, and
    // that record must not pass for ours.
    cause: ['start', Buffer.from(engine.random.bytes(16)).toString('hex')],
    isOurs: true,
    actor: caller.token,
    decide: async (view) => {
      assignment = undefined
      broken = undefined
      const { transaction } = view
      const [messages, stored] = await Promise.all([
        messagesOf(new AgentReader(transaction), run, view.agent),
        view.agent && readRunSurroundings(transaction, surroundingNames(view.agent)),
      ])
      const batch = run.attempt === 1 ? messages.map(({ body }) => body) : []
      const decision = decideStart({ ...run, runner: caller.token, batch }, view)
      if (!decision.answer.isStarted) return decision
      const agent = decision.changes[0]?.agent
      const assigning = { engine, caller, run, traceparent, transaction }
      try {
        if (agent && stored) assignment = await describeAssignment(assigning, agent, messages, stored)
      } catch (error) {
        if (!(error instanceof StoredDocumentError)) throw error
        broken = error
      }
      return decision
    },
  })
  if (broken) await failRun(engine, caller, run, broken.message)
  return assignment
}

/** The first attempt takes its messages from the queue. */
async function messagesOf(
  reader: AgentReader,
  { agentId, runId, attempt }: ClaimedRun,
  agent: AgentState | undefined,
): Promise<Message[]> {
  if (!agent) return []
  if (attempt > 1) return reader.messagesOfRun(agentId, runId)
  return reader.messages(
    agent.id,
    deliveryBatch(agent.queue).map(({ followUpId }) => followUpId),
  )
}

/** If this is lost, the lease expires, and the next attempt ends the same way. */
async function failRun(
  engine: EngineResources,
  caller: Caller,
  run: ClaimedRun,
  message: string,
): Promise<void> {
  const error = { code: 'document', message, isRetryable: false }
  await endRun(engine, caller, { lease: formatLease(run), outcome: { reason: 'failed', error } })
}

import type { Assignment } from '@skein/contract'
import { deliveryBatch, startRun as decideStart, StoredDocumentError, type Caller } from '@skein/core'
import { AgentReader, type ClaimedRun } from '@skein/store'
import { commandRun } from '../commands/run-command.ts'
import { formatLease } from '../lease-id.ts'
import type { EngineResources } from '../resources.ts'
import { describeAssignment } from './assignment.ts'
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
  let assignment: Assignment | undefined
  let broken: StoredDocumentError | undefined
  await commandRun(engine, run, {
    // Unique per claim: if its lease expired before it started, another claim may have started the same attempt, and
    // that record must not pass for ours.
    cause: ['start', Buffer.from(engine.random.bytes(16)).toString('hex')],
    actor: caller.token,
    decide: async (view) => {
      assignment = undefined
      broken = undefined
      const reader = new AgentReader(view.transaction)
      const queued = view.agent && run.attempt === 1 ? deliveryBatch(view.agent.queue) : []
      const batch = view.agent
        ? await reader.followUps(
            view.agent.id,
            queued.map(({ followUpId }) => followUpId),
          )
        : []
      const decision = decideStart({ ...run, runner: caller.token, batch }, view)
      if (!decision.answer.isStarted) return decision
      const messages = run.attempt === 1 ? batch : await reader.followUpsOfRun(run.agentId, run.runId)
      const agent = decision.changes[0]?.agent
      const assigning = { engine, caller, run, traceparent, transaction: view.transaction }
      try {
        if (agent) assignment = await describeAssignment(assigning, agent, messages)
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

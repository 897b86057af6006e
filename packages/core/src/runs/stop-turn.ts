import { SkeinError, type StopTurnMode } from '@skein/contract'
import { AgentChange, decide, type Decision } from '../agent/change.ts'
import { isLive, type AgentState } from '../agent/state.ts'

export function stopTurn(
  { runId, mode }: { runId: bigint | undefined; mode: StopTurnMode },
  { agent, now }: { agent: AgentState | undefined; now: number },
): Decision<Record<string, never>> {
  if (!agent) throw new SkeinError('AGENT_NOT_FOUND')
  const { run } = agent
  if (!isLive(agent) || run?.state !== 'running' || run.runId !== runId) {
    throw new SkeinError('RUN_NOT_CURRENT', {
      message:
        run?.state === 'running'
          ? `The current run is ${run.runId}, not ${runId ?? 'given'}.`
          : 'No run is in progress.',
      violations: [{ field: 'runId', description: 'must be the number of the run in progress' }],
    })
  }
  const wanted = mode === 'STOP_TURN_MODE_KILL' ? mode : 'STOP_TURN_MODE_INTERRUPT'
  // Repeated stops have no effect, and an interrupt never softens a kill.
  if (run.stopMode === wanted || run.stopMode === 'STOP_TURN_MODE_KILL') return decide({})
  return decide(
    {},
    new AgentChange(agent, now).emit({ type: 'run.stop-requested', runId: run.runId, mode: wanted }),
  )
}

import { formatAgentName, type Skein } from '@skein/client'
import { formatSpan } from '../output/facts.ts'
import { explainRefusal } from './check-networks.ts'
import { faulty, type Finding } from './finding.ts'
import type { Fleet } from './read-fleet.ts'

/** How long a run may wait for a runner before it is reported. */
const PATIENCE_MS = 15_000

/** Runners may be online and still take nothing: none permits the network, they are full, or a limit is reached. */
export async function findWaitingAgent(
  skein: Skein,
  fleet: Fleet,
  nowMs: number,
): Promise<Finding | undefined> {
  for await (const { agentId } of skein.agents({ phases: ['PHASE_PENDING'] })) {
    const { phase, run, createTime, progressAt } = await skein.agent(agentId).status()
    const since = progressAt === '' ? createTime : progressAt
    const waitedMs = nowMs - Date.parse(since)
    const isQueued = phase === 'PHASE_PENDING' && run.state === 'RUN_STATE_QUEUED'
    if (!isQueued || waitedMs <= PATIENCE_MS) continue
    return faulty(
      'runners',
      `${formatAgentName(agentId)} has been waiting for a runner for ${formatSpan(waitedMs)}, although one is online`,
      explainRefusal(fleet, agentId.workspace)?.fix ??
        'If the runners are full, start more or raise SKEIN_RUNNER_CAPACITY; otherwise raise maxRuns of the pool (skein edit pool ' +
          'default) or runsInFlight of the quota (skein edit quota default).',
    )
  }
  return undefined
}

import type { AnswerDecision } from '@skein/core'
import {
  DeliveryLog,
  LaneStore,
  type DeliveryRecord,
  type DueLane,
  type LaneProgress,
  type LaneRef,
  type SentEvent,
  type Transaction,
} from '@skein/store'

/** A lane whose events are being sent. */
export interface ActiveLane extends DueLane {
  readonly rest: readonly SentEvent[]
}

/** An answer that has not been recorded yet. */
export interface Result {
  readonly lane: ActiveLane
  readonly decision: AnswerDecision
  readonly record: DeliveryRecord | undefined
}

/** Records answers: where lanes go on, what is given up, and the log. Only within a transaction that keeps the endpoint. */
export async function writeAnswers(
  transaction: Transaction,
  integration: string,
  results: readonly Result[],
): Promise<void> {
  const lanes = new LaneStore(transaction)
  const moved: LaneProgress[] = []
  for (const { lane, decision } of results) {
    if (decision.lane.type === 'continue') moved.push({ ...refOf(lane), ...progressOf(decision.lane) })
    else await lanes.giveUpOne(integration, lane, decision.lane.error)
  }
  await lanes.move(integration, moved)
  await new DeliveryLog(transaction).add(
    integration,
    results.flatMap(({ record }) => record ?? []),
  )
}

function refOf({ agentId, replayId }: LaneRef): LaneRef {
  return { agentId, replayId }
}

function progressOf({
  nextSequence,
  attempts,
  waitingSince,
  dueAt,
}: Omit<LaneProgress, keyof LaneRef>): Omit<LaneProgress, keyof LaneRef> {
  return { nextSequence, attempts, waitingSince, dueAt }
}

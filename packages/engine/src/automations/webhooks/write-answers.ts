import type { AnswerDecision } from '@skein/core'
import {
  DeliveryLog,
  LaneStore,
  together,
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
  const givenUp: Promise<void>[] = []
  for (const { lane, decision } of results) {
    if (decision.lane.type === 'give-up') {
      givenUp.push(lanes.giveUpOne(integration, lane, decision.lane.error))
    } else moved.push({ ...refOf(lane), ...progressOf(decision.lane) })
  }
  const records = results.flatMap(({ record }) => record ?? [])
  await together([
    ...givenUp,
    lanes.move(integration, moved),
    new DeliveryLog(transaction).add(integration, records),
  ])
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

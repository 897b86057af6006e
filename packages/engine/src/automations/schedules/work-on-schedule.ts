import type { ClaimedSchedule } from '@skein/store'
import type { EngineResources } from '../../resources.ts'
import { advanceSchedule } from './advance-schedule.ts'
import { carryOutFiring } from './carry-out-firing.ts'

/** Carries out what is due of a claimed schedule, one firing after the other. */
export async function workOnSchedule(engine: EngineResources, claimed: ClaimedSchedule): Promise<void> {
  let step = await advanceSchedule(engine, claimed)
  while (step.type === 'carry-out') {
    const report = await carryOutFiring(engine, claimed, step.document, step.firing)
    step = await advanceSchedule(engine, claimed, report)
  }
}

import type { HeartbeatRun } from '@skein/contract'
import { reportProgress as decideProgress, type Caller } from '@skein/core'
import type { LeaseRef } from '@skein/store'
import { announceBudgets } from '../agents/announce-budgets.ts'
import { commandRun } from '../commands/run-command.ts'
import type { EngineResources } from '../resources.ts'
import { toProgress } from './to-progress.ts'
import { toUsage } from './to-usage.ts'

/** Each report has an id from the runner, so that a repeated heartbeat counts once. */
export async function reportProgress(
  engine: EngineResources,
  caller: Caller,
  { lease, report }: { lease: LeaseRef; report: HeartbeatRun },
): Promise<void> {
  const place = await engine.runPlaces.find(engine, lease)
  if (!place) return
  await commandRun(engine, place, {
    cause: ['report', report.reportId ?? Buffer.from(engine.random.bytes(16)).toString('hex')],
    actor: caller.token,
    decide: (view) => {
      const decision = decideProgress(
        {
          ...lease,
          events: toProgress(report.events, lease),
          usage: toUsage(report.usage),
          session: report.session,
        },
        view,
      )
      return announceBudgets(decision, view)
    },
  })
}

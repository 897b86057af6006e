import {
  takeDueCodeHostCalls,
  takeDueHostIssues,
  takeDueHostWatches,
  takeDuePersonGrants,
  takeDuePullRequests,
} from '@skein/store'
import { TenantLoop, workSource } from '../loops/tenant-loop.ts'
import { TenantWorkers } from '../loops/tenant-workers.ts'
import { checkPerson, CHECK_HOLD_MS } from '../people/grants/check-person.ts'
import type { EngineResources } from '../resources.ts'
import { carryOutCall, HOLD_MS } from './carry-out-call.ts'
import type { HostFetch } from './code-host.ts'
import { advanceReview, REVIEW_HOLD_MS } from './reviews/advance-review.ts'
import { ISSUE_HOLD_MS, advanceIssue } from './starts/advance-issue.ts'
import { SWEEP_HOLD_MS, sweepRepository } from './starts/sweep-repository.ts'

const LOOK_EVERY_MS = 500
const MAX_WORKERS = 32
/** So that a tenant whose code host hangs leaves room for others. */
const MAX_WORKERS_OF_TENANT = 8

/** Does what needs code hosts. */
export class CodeHostLoops extends TenantLoop {
  constructor(engine: EngineResources, fetch: HostFetch, onError: (error: unknown) => void) {
    const sources = [
      // First, because somebody waits for them.
      workSource(takeDueCodeHostCalls, HOLD_MS, (call) => carryOutCall(engine, fetch, call)),
      workSource(takeDuePullRequests, REVIEW_HOLD_MS, (pull) => advanceReview(engine, fetch, pull)),
      workSource(takeDueHostIssues, ISSUE_HOLD_MS, (issue) => advanceIssue(engine, fetch, issue)),
      workSource(takeDueHostWatches, SWEEP_HOLD_MS, (watch) => sweepRepository(engine, fetch, watch)),
      workSource(takeDuePersonGrants, CHECK_HOLD_MS, (person) => checkPerson(engine, person)),
    ]
    const workers = new TenantWorkers(MAX_WORKERS, MAX_WORKERS_OF_TENANT)
    const options = { everyMs: LOOK_EVERY_MS, wakeOn: 'code-host-asked', looksAfterEach: true } as const
    super(engine, { ...options, workers, sources }, onError)
  }
}

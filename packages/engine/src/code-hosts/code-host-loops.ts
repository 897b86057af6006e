import {
  takeDueCodeHostCalls,
  takeDueHostIssues,
  takeDueHostWatches,
  takeDuePersonGrants,
  takeDuePullRequests,
} from '@skein/store'
import { checkPerson, CHECK_HOLD_MS } from '../people/grants/check-person.ts'
import type { EngineResources } from '../resources.ts'
import { carryOutCall, HOLD_MS } from './carry-out-call.ts'
import type { HostFetch } from './code-host.ts'
import { lookAtPullRequest, LOOK_HOLD_MS } from './reviews/look-at-pull-request.ts'
import { ISSUE_HOLD_MS, lookAtIssue } from './starts/look-at-issue.ts'
import { SWEEP_HOLD_MS, sweepRepository } from './starts/sweep-repository.ts'

const TICK_MS = 500
const MAX_WORKERS = 32
/** So that a tenant whose code host hangs leaves room for others. */
const MAX_WORKERS_OF_TENANT = 8

/** Carries out calls to code hosts. Every server does it; what one holds, the others leave alone until its time is over. */
export class CodeHostLoops {
  readonly #engine: EngineResources
  readonly #fetch: HostFetch
  readonly #onError: (error: unknown) => void
  readonly #workers = new Map<Promise<void>, string>()
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #tick: Promise<void> | undefined
  #isTickWanted = false
  #isStopped = false

  constructor(engine: EngineResources, fetch: HostFetch, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#fetch = fetch
    this.#onError = onError
  }

  start(): void {
    this.#unsubscribe = this.#engine.events.subscribe(({ type }) => {
      if (type === 'code-host-asked') this.#look()
    })
    this.#timer = setInterval(() => this.#look(), TICK_MS)
  }

  /** What was begun is finished. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe?.()
    clearInterval(this.#timer)
    await this.#tick
    await Promise.all(this.#workers.keys())
  }

  #look(): void {
    if (this.#isStopped) return
    if (this.#tick) {
      this.#isTickWanted = true
      return
    }
    this.#isTickWanted = false
    this.#tick = this.#lookOnce()
      .catch((error: unknown) => this.#onError(error))
      .finally(() => {
        this.#tick = undefined
        if (this.#isTickWanted) this.#look()
      })
  }

  /** Calls first: somebody waits for them. */
  async #lookOnce(): Promise<void> {
    const { database } = this.#engine
    const wanted = (holdMs: number) => ({ amount: this.#room(), holdMs, busy: this.#busyTenants() })
    if (this.#room() <= 0) return
    const calls = await database.statement((transaction) =>
      takeDueCodeHostCalls(transaction, wanted(HOLD_MS)),
    )
    for (const call of calls) this.#start(call.tenantId, carryOutCall(this.#engine, this.#fetch, call))
    if (calls.length > 0 || this.#room() <= 0) return
    const pulls = await database.statement((transaction) =>
      takeDuePullRequests(transaction, wanted(LOOK_HOLD_MS)),
    )
    for (const pull of pulls) this.#start(pull.tenantId, lookAtPullRequest(this.#engine, this.#fetch, pull))
    if (this.#room() <= 0) return
    const issues = await database.statement((transaction) =>
      takeDueHostIssues(transaction, wanted(ISSUE_HOLD_MS)),
    )
    for (const issue of issues) this.#start(issue.tenantId, lookAtIssue(this.#engine, this.#fetch, issue))
    if (this.#room() <= 0) return
    const watches = await database.statement((transaction) =>
      takeDueHostWatches(transaction, wanted(SWEEP_HOLD_MS)),
    )
    for (const watch of watches)
      this.#start(watch.tenantId, sweepRepository(this.#engine, this.#fetch, watch))
    if (this.#room() <= 0) return
    const people = await database.statement((transaction) =>
      takeDuePersonGrants(transaction, wanted(CHECK_HOLD_MS)),
    )
    for (const person of people) this.#start(person.tenantId, checkPerson(this.#engine, person))
  }

  #start(tenantId: string, work: Promise<void>): void {
    const worker = work
      .catch((error: unknown) => this.#onError(error))
      .finally(() => {
        this.#workers.delete(worker)
        // There may be more.
        this.#look()
      })
    this.#workers.set(worker, tenantId)
  }

  /** No more at once than a tenant may have: which tenants they belong to is known afterwards. */
  #room(): number {
    return Math.min(MAX_WORKERS - this.#workers.size, MAX_WORKERS_OF_TENANT)
  }

  #busyTenants(): string[] {
    const counts = Map.groupBy(this.#workers.values(), (tenantId) => tenantId)
    return [...counts].flatMap(([tenantId, { length }]) => (length < MAX_WORKERS_OF_TENANT ? [] : [tenantId]))
  }
}

import { SkeinError } from '@skein/contract'
import { composeReply, endOrder, nextRetry, startMarker, type StartState } from '@skein/core'
import { HostIssueStore, type HeldHostIssue, type Transaction } from '@skein/store'
import { dashboardUrl } from '../../agents/describe-agent.ts'
import type { EngineResources } from '../../resources.ts'
import { CodeHostError, type CodeHost, type HostFetch } from '../code-host.ts'
import { connectCodeHost } from '../connect-code-host.ts'
import { CLOCK_SKEW_MS } from '../hosts/to-conversation.ts'
import { HoldLost, keepingFetch } from '../reviews/keeping-fetch.ts'
import { unlessRefused } from '../unless-refused.ts'
import { carryOutOrder, startedAgent } from './carry-out-order.ts'
import { gatherRequests } from './gather-requests.ts'
import { readIssueContext, type IssueContext } from './issue-context.ts'
import { planOrder } from './plan-order.ts'

/** Longer than a request and a stalled process. Extended while it takes longer. */
export const ISSUE_HOLD_MS = 120_000
const RETRY_MS = 60_000
/** Of comments since an order, before its reply. Each is up to a thousand. */
const MAX_READS = 5
/** The App may get the permission, the repository may come back. */
const REFUSED_RETRY_MS = 24 * 60 * 60_000
/** Outcomes of commands are known for a day. After that, doing it again could do it twice. */
const MAX_ORDER_AGE_MS = 23 * 60 * 60_000

/**
 * One step for an issue: finishes the order that was begun, then reads the issue from its host and decides on what people
 * asked for. Every step is stored before the next, and can be repeated: killed anywhere, the next server continues.
 */
export async function advanceIssue(
  engine: EngineResources,
  fetch: HostFetch,
  held: HeldHostIssue,
): Promise<void> {
  const context = await readIssueContext(engine, held)
  if (!context) {
    // The workspace no longer starts agents from it.
    await engine.database.forTenant(held.tenantId, (transaction) =>
      new HostIssueStore(transaction).forget(held),
    )
    return
  }
  const step = new IssueStep(context, fetch)
  try {
    await step.release(await step.run())
  } catch (error) {
    if (error instanceof HoldLost || (error instanceof CodeHostError && error.cause instanceof HoldLost))
      return
    if (!(error instanceof CodeHostError || error instanceof SkeinError)) throw error
    await step.postpone(error)
  }
}

class IssueStep {
  readonly #context: IssueContext
  readonly #fetch: HostFetch
  #state: StartState

  constructor(context: IssueContext, fetch: HostFetch) {
    this.#context = context
    this.#state = context.record.state
    const { engine, held } = context
    const keep = () =>
      this.#inTenant((transaction) => new HostIssueStore(transaction).keep(held, ISSUE_HOLD_MS))
    this.#fetch = keepingFetch(fetch, keep, () => engine.clock.now())
  }

  /** Returns when the next step is due; undefined means when the issue changes. */
  async run(): Promise<number | undefined> {
    const { engine, held } = this.#context
    await this.#finish()
    const { host, document } = await connectCodeHost(engine, this.#fetch, held.tenantId, held.codeHost)
    const context = { ...this.#context, record: { ...this.#context.record, state: this.#state } }
    const gathered = await gatherRequests(context, host)
    if (!gathered) return undefined
    this.#state = await planOrder(context, document, gathered)
    await this.#finish(host)
    return gathered.isMore ? this.#now + RETRY_MS : undefined
  }

  /** What was decided on. */
  async #finish(connected?: CodeHost): Promise<void> {
    const { order } = this.#state
    if (order && this.#now - order.plannedAt > MAX_ORDER_AGE_MS) await this.#save(endOrder(this.#state))
    while (this.#state.phase === 'starting' && this.#state.order) {
      await this.#save(await carryOutOrder(this.#context, this.#state, this.#state.order))
    }
    if (this.#state.phase !== 'replying') return
    const { engine, held } = this.#context
    const host = connected ?? (await connectCodeHost(engine, this.#fetch, held.tenantId, held.codeHost)).host
    // The issue may be locked, or gone by now.
    await unlessRefused(() => this.#reply(host))
    await this.#save(endOrder(this.#state))
  }

  /** Once: a reply that is there already, because the server that posted it was killed before recording it, is found. */
  async #reply(host: CodeHost): Promise<void> {
    const { engine, held, policy } = this.#context
    const { order } = this.#state
    if (!order?.outcome) return
    const { id, person, outcome, reason = '', agent, plannedAt } = order
    const issues = await host.issues(held.repository)
    let since = plannedAt - CLOCK_SKEW_MS
    for (let isAll = false, reads = 0; !isAll; reads += 1) {
      // In doubt it was posted.
      if (reads >= MAX_READS) return
      const read = await issues.comments(held.number, since)
      if (read.comments.some(({ body }) => body.includes(startMarker(id)))) return
      ;({ isAll, readUntil: since } = read)
    }
    const url = engine.publicUrl === '' ? '' : dashboardUrl(agent, engine.publicUrl)
    const reply = { id, person, outcome, reason, agent: agent.path.join('/'), url, mention: policy.mention }
    await issues.comment(held.number, composeReply(reply))
  }

  async #save(state: StartState): Promise<void> {
    const { held } = this.#context
    const isKept = await this.#inTenant(async (transaction) => {
      const store = new HostIssueStore(transaction)
      const agent = startedAgent(state)
      if (agent !== undefined) await store.assign(held, agent, state.order?.isPull === true)
      return store.save(held, state)
    })
    if (!isKept) throw new HoldLost()
    this.#state = state
  }

  async release(lookAt: number | undefined): Promise<void> {
    const { held, record } = this.#context
    await this.#inTenant((transaction) => new HostIssueStore(transaction).release(held, record.stirs, lookAt))
  }

  /** What was decided on stays, and is carried out later. */
  async postpone(error: CodeHostError | SkeinError): Promise<void> {
    const { held } = this.#context
    const { failures } = this.#state
    const state = {
      ...this.#state,
      problem: error.message.slice(0, 1000).toWellFormed(),
      failures: failures + 1,
    }
    await this.#inTenant((transaction) => new HostIssueStore(transaction).save(held, state))
    const isRefused = error instanceof CodeHostError && error.isFinal
    const retryAfterMs = error instanceof CodeHostError ? error.retryAfterMs : RETRY_MS
    await this.release(
      isRefused ? this.#now + REFUSED_RETRY_MS : nextRetry({ failures }, this.#now, retryAfterMs),
    )
  }

  #inTenant<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const { engine, held } = this.#context
    return engine.database.forTenant(held.tenantId, work)
  }

  get #now(): number {
    return this.#context.engine.clock.now()
  }
}

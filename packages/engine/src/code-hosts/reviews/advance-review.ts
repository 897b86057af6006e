import { SkeinError } from '@skein/contract'
import { isAtRest } from '@skein/contract/facts'
import {
  beginEnd,
  endSending,
  isLive,
  nextRead,
  nextRestCheck,
  nextRetry,
  parseOwnOrBuiltIn,
  watchAgain,
  type Conversation,
  type PullRequest,
  type ReviewState,
} from '@skein/core'
import {
  AgentReader,
  CatalogStore,
  findOwnTenant,
  PullRequestStore,
  type HeldPullRequest,
  type Transaction,
} from '@skein/store'
import { queueFollowUp } from '../../follow-ups/queue-follow-up.ts'
import type { EngineResources } from '../../resources.ts'
import { CodeHostError, type CodeHost, type HostFetch } from '../code-host.ts'
import { connectCodeHost } from '../connect-code-host.ts'
import { gatherRound } from './gather-round.ts'
import { HoldLost, keepingFetch } from './keeping-fetch.ts'
import type { ReviewContext } from './review-context.ts'
import { postAnswers } from './post-answers.ts'
import { ownerContext } from './review-caller.ts'

/** Longer than a request and a stalled process. Extended while it takes longer. */
export const REVIEW_HOLD_MS = 120_000
const RETRY_MS = 60_000
const STOPPED_MS = 5 * 60_000
/** Our clock and the host’s differ, and somebody may have commented before it was recorded. */
const BEFORE_OPENED_MS = 10 * 60_000
/** The App may be installed again, the repository may come back. */
const REFUSED_RETRY_MS = 24 * 60 * 60_000

/**
 * One step of the review of a pull request: finish what was begun, then read it from its host, then decide on what is
 * new. Every step is stored before the next, and can be repeated: killed anywhere, the next server continues.
 */
export async function advanceReview(
  engine: EngineResources,
  fetch: HostFetch,
  held: HeldPullRequest,
): Promise<void> {
  const context = await readContext(engine, held)
  if (!context) return
  const step = new ReviewStep(context, fetch)
  try {
    await step.release(await step.run())
  } catch (error) {
    if (error instanceof HoldLost || (error instanceof CodeHostError && error.cause instanceof HoldLost))
      return
    if (error instanceof CodeHostError) return step.afterFailure(error)
    if (error instanceof SkeinError) return step.afterRefusal(error)
    throw error
  }
}

async function readContext(
  engine: EngineResources,
  held: HeldPullRequest,
): Promise<ReviewContext | undefined> {
  return engine.database.forTenant(held.tenantId, async (transaction) => {
    const record = await new PullRequestStore(transaction).find(held.name)
    if (!record) return undefined
    const [agent] = await new AgentReader(transaction).findAll([record.agentId])
    const stored = await new CatalogStore(transaction).find({ kind: 'workspace', name: record.workspace })
    const workspace = parseOwnOrBuiltIn('workspace', record.workspace, stored?.document)
    const repository = { owner: record.owner, name: record.repository }
    const tenant = await findOwnTenant(transaction)
    return { engine, held, record, repository, tenant, agent, roundLimit: workspace?.reviewRounds ?? 0 }
  })
}

class ReviewStep {
  readonly #context: ReviewContext
  readonly #fetch: HostFetch
  #state: ReviewState

  constructor(context: ReviewContext, fetch: HostFetch) {
    this.#context = context
    this.#state = context.record.review
    const { engine, held } = context
    const keep = () =>
      this.#inTenant((transaction) => new PullRequestStore(transaction).keep(held, REVIEW_HOLD_MS))
    this.#fetch = keepingFetch(fetch, keep, () => engine.clock.now())
  }

  /** Returns when the next step is due; undefined means never. */
  async run(): Promise<number | undefined> {
    const { record, agent } = this.#context
    if (this.#state.phase === 'sending') {
      await this.#send()
      // What was read about the agent is from before.
      return nextRestCheck(this.#state, this.#now)
    }
    const isResting = agent === undefined || isAtRest(agent.phase)
    if (this.#state.phase === 'working' && !isResting) return nextRestCheck(this.#state, this.#now)
    if (record.quietAt > this.#now) return record.quietAt
    const { host, pull, conversation } = await this.#read()
    if (isResting) await postAnswers(this.#context, host, conversation)
    if (this.#state.failures > 0) await this.#save({ ...this.#state, failures: 0, problem: '' })
    if (pull.state !== 'open') return this.#end(pull)
    return this.#follow(host, pull, conversation, isResting)
  }

  /** Its state on the host decides, whatever was expected: it may be open again. */
  async #follow(
    host: CodeHost,
    pull: PullRequest,
    conversation: Conversation,
    isResting: boolean,
  ): Promise<number | undefined> {
    const { phase } = this.#state
    if (phase === 'ended' || (phase === 'working' && isResting))
      await this.#save(watchAgain(this.#state, this.#now))
    if (phase === 'stopped' && (await this.#isHelped())) await this.#save(watchAgain(this.#state, this.#now))
    if (this.#state.phase === 'watching') {
      const { agent } = this.#context
      if (!isLive(agent)) await this.#save({ ...this.#state, problem: 'The agent has ended.' })
      else await this.#gather(host, conversation)
    }
    const { record } = this.#context
    const isChanged = pull.state !== record.state || pull.title !== record.title || pull.base !== record.base
    const changedAt = isChanged || phase !== this.#state.phase ? this.#now : record.updatedAt
    if (this.#state.phase === 'working') return nextRestCheck(this.#state, this.#now)
    const next = nextRead(pull.state, changedAt, this.#now)
    // Whether a person has helped is seen only by looking.
    if (this.#state.phase === 'stopped') return Math.min(next ?? Infinity, this.#now + STOPPED_MS)
    // A conflict has to be seen twice.
    const isUnsure = conversation.isConflicting && this.#state.conflictTold !== conversation.commit
    return isUnsure ? this.#now + RETRY_MS : next
  }

  async #gather(host: CodeHost, conversation: Conversation): Promise<void> {
    const gathered = await gatherRound(this.#context, host, conversation, this.#state)
    if (!gathered.isKept) throw new HoldLost()
    this.#state = gathered.state
    if (this.#state.phase === 'sending') await this.#send()
  }

  async #end(pull: PullRequest): Promise<number | undefined> {
    const { record, agent } = this.#context
    if (this.#state.phase !== 'ended') {
      const ended = pull.state === 'merged' ? 'merged' : 'closed'
      if (isLive(agent)) {
        await this.#save(beginEnd(this.#state, record, ended, this.#now))
        await this.#send()
      } else await this.#save({ ...this.#state, phase: 'ended', since: this.#now })
    }
    const changedAt = record.state === pull.state ? record.updatedAt : this.#now
    return nextRead(pull.state, changedAt, this.#now)
  }

  /** The id makes sure that the agent gets it once. */
  async #send(): Promise<void> {
    const { engine, held, tenant, agent } = this.#context
    const { message } = this.#state
    if (!agent || !message) return this.#save(endSending(this.#state, this.#now, 'The agent was removed.'))
    const target = { tenantId: held.tenantId, tenant, identity: agent.identity }
    const { followUpId, description, tasks } = message
    const request = { agentId: {}, description, followUpId }
    try {
      await queueFollowUp(engine, ownerContext(held, tenant, agent), target, request, tasks)
      await this.#save(endSending(this.#state, this.#now))
    } catch (error) {
      if (!(error instanceof SkeinError && error.isFinal)) throw error
      await this.#save(endSending(this.#state, this.#now, error.message))
    }
  }

  async #read(): Promise<{ host: CodeHost; pull: PullRequest; conversation: Conversation }> {
    const { engine, held, record, repository } = this.#context
    const { host } = await connectCodeHost(engine, this.#fetch, held.tenantId, record.codeHost)
    const pull = await host.readPullRequest(repository, record.number)
    const since = this.#state.readUntil === 0 ? record.createdAt - BEFORE_OPENED_MS : this.#state.readUntil
    const conversation = await host.readConversation(repository, record.number, since)
    const { commit, isConflicting } = conversation
    await this.#whileHeld((store) => store.note(held, { ...pull, commit, isConflicting }, this.#now))
    return { host, pull, conversation }
  }

  /** Whether somebody has sent the agent a message since it was told to ask. */
  #isHelped(): Promise<boolean> {
    const { record } = this.#context
    return this.#inTenant((transaction) =>
      new PullRequestStore(transaction).isAgentHelped(record.agentId, this.#state.since),
    )
  }

  async #save(state: ReviewState): Promise<void> {
    await this.#whileHeld((store) => store.save(this.#context.held, state))
    this.#state = state
  }

  async #whileHeld(work: (store: PullRequestStore) => Promise<boolean>): Promise<void> {
    if (!(await this.#inTenant((transaction) => work(new PullRequestStore(transaction)))))
      throw new HoldLost()
  }

  async release(lookAt: number | undefined): Promise<void> {
    const { held, record } = this.#context
    await this.#inTenant((transaction) =>
      new PullRequestStore(transaction).release(held, record.stirs, lookAt),
    )
  }

  afterFailure({ isFinal, retryAfterMs, message }: CodeHostError): Promise<void> {
    const now = this.#now
    return this.#postpone(
      message,
      isFinal ? now + REFUSED_RETRY_MS : nextRetry(this.#state, now, retryAfterMs),
    )
  }

  /** For example, a quota that is used up. The decision stays, and is carried out later. */
  afterRefusal({ message }: SkeinError): Promise<void> {
    return this.#postpone(message, this.#now + RETRY_MS)
  }

  async #postpone(problem: string, lookAt: number): Promise<void> {
    const { held } = this.#context
    const failures = this.#state.failures + 1
    const state = { ...this.#state, problem: problem.slice(0, 1000).toWellFormed(), failures }
    await this.#inTenant((transaction) => new PullRequestStore(transaction).save(held, state))
    await this.release(lookAt)
  }

  #inTenant<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const { engine, held } = this.#context
    return engine.database.forTenant(held.tenantId, work)
  }

  get #now(): number {
    return this.#context.engine.clock.now()
  }
}

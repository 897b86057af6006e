import { maintainPartitions, removeExpired, type Expiry } from '@skein/store'
import { sealAudit } from './audit/seal-audit.ts'
import type { EngineResources } from './resources.ts'

const INTERVAL_MS = 60 * 60 * 1000
const SEAL_INTERVAL_MS = 60 * 1000
const DAY_MS = 24 * 60 * 60 * 1000

/** Replays are promised for 24 hours. Only whole days are dropped, so two are kept. */
const COMMAND_DAYS = 2
/** Automations read within seconds. A week leaves room for one that was down. */
const OUTBOX_DAYS = 7
/** Long enough to find out why something did not arrive. */
const DELIVERY_DAYS = 7
const DEAD_LETTER_DAYS = 30
/** Long enough to see what happened last month. */
const FIRING_DAYS = 30

/** Both keys are valid for a day after a rotation. */
const REPLACED_KEY_DAYS = 1
/** The log expires by months, so no entry of a seal this old is left. */
const SEAL_DAYS = 62
/** Longer than any is tried and any credential is valid. */
const CODE_HOST_CALL_DAYS = 2 / 24
/** Longer than a request to start an agent is carried out: a forgotten one would be carried out again. */
const HOST_ISSUE_DAYS = 30
/** After they expired, so that admins see what became of them. */
const INVITATION_DAYS = 30
/** Limits count an hour. */
const HOST_START_DAYS = 1

/** How many days each of these is kept. */
export interface Retention {
  readonly audit: number
  readonly timeline: number
  /** After the end of the last agent of a tree. */
  readonly agent: number
  /** After a version was replaced. */
  readonly history: number
  readonly spend: number
}

/**
 * Creates partitions ahead of time and deletes what has expired: at startup and then once an hour. Seals the audit every
 * few minutes. Every server does it; they share the work, and doing it twice has no effect.
 */
export class Maintenance {
  readonly #engine: EngineResources
  readonly #retention: Retention
  readonly #onError: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #sealTimer: NodeJS.Timeout | undefined
  #sealing: Promise<void> | undefined
  #removal: Promise<void> | undefined
  #isStopped = false

  constructor(engine: EngineResources, retention: Retention, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#retention = retention
    this.#onError = onError
  }

  /** Waits only for the partitions: deleting a backlog may take long. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#round(), INTERVAL_MS)
    this.#sealTimer = setInterval(() => this.#seal(), SEAL_INTERVAL_MS)
    await this.#round()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    clearInterval(this.#sealTimer)
    await Promise.all([this.#removal, this.#sealing])
  }

  /** Rows go to the default partitions until it succeeds. Nothing is lost. */
  async #round(): Promise<void> {
    const { audit, timeline } = this.#retention
    try {
      await this.#engine.database.withoutTenant((transaction) =>
        maintainPartitions(transaction, {
          command: COMMAND_DAYS,
          outbox: OUTBOX_DAYS,
          delivery: DELIVERY_DAYS,
          dead_letter: DEAD_LETTER_DAYS,
          audit,
          timeline,
        }),
      )
      this.#engine.events.emit({ type: 'maintained' })
    } catch (error) {
      this.#onError(error)
    }
    this.#removal ??= this.#remove().finally(() => (this.#removal = undefined))
  }

  #seal(): void {
    this.#sealing ??= this.#sealAll().finally(() => (this.#sealing = undefined))
  }

  async #sealAll(): Promise<void> {
    try {
      let isMore = true
      while (isMore && !this.#isStopped) isMore = await sealAudit(this.#engine)
    } catch (error) {
      this.#onError(error)
    }
  }

  async #remove(): Promise<void> {
    const { agent, audit, history, spend, timeline } = this.#retention
    const daysAgo = (days: number) => this.#engine.clock.now() - days * DAY_MS
    const expiry: Expiry = {
      agents: daysAgo(agent),
      versions: daysAgo(history),
      spend: daysAgo(spend),
      firings: daysAgo(FIRING_DAYS),
      triggerDeliveries: daysAgo(DELIVERY_DAYS),
      replacedKeys: daysAgo(REPLACED_KEY_DAYS),
      codeHostCalls: daysAgo(CODE_HOST_CALL_DAYS),
      pullRequests: daysAgo(agent),
      hostDeliveries: daysAgo(DELIVERY_DAYS),
      hostIssues: daysAgo(Math.max(agent, HOST_ISSUE_DAYS)),
      hostStarts: daysAgo(HOST_START_DAYS),
      auditSeals: daysAgo(audit + SEAL_DAYS),
      leavers: daysAgo(audit),
      invitations: daysAgo(INVITATION_DAYS),
      segments: daysAgo(timeline),
    }
    await removeExpired(this.#engine.database, expiry, {
      isStopped: () => this.#isStopped,
      onError: this.#onError,
    })
  }
}

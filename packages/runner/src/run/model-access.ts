import type { Assignment } from '@skein/contract'
import type { CallUsage, ModelGrant } from '../gateway/grant.ts'
import type { BudgetRefusal } from './outcome.ts'
import type { RunnerParts } from './parts.ts'
import type { RunReporter } from './run-reporter.ts'

interface Verdict {
  readonly isAllowed: boolean
  readonly message: string
}

/**
 * For how long a run that had no budget when it was assigned may make its first call without asking. If it gets one
 * meanwhile, that is the one call that may exceed it.
 */
const UNBUDGETED_MS = 10_000

/** A run's access to its model: the service authorizes each call and gets a report. */
export class ModelAccess {
  readonly #reporter: Pick<RunReporter, 'askBudget' | 'addUsage'>
  readonly #parts: Pick<RunnerParts, 'now' | 'onEvent'>
  readonly #startedAt: number
  readonly #queuedMs: number
  readonly #isUnbudgeted: boolean
  #budgetRefusal: BudgetRefusal | undefined
  #limitResetMs: number | undefined
  #calls = 0
  #hasCalled = false
  #costUsd = 0

  constructor(
    reporter: Pick<RunReporter, 'askBudget' | 'addUsage'>,
    parts: Pick<RunnerParts, 'now' | 'onEvent'>,
    { queuedMs, unbudgeted = false }: Pick<Assignment, 'queuedMs' | 'unbudgeted'>,
  ) {
    this.#reporter = reporter
    this.#queuedMs = queuedMs
    this.#isUnbudgeted = unbudgeted
    this.#parts = parts
    this.#startedAt = parts.now()
  }

  /** Why the last call was refused; undefined if it wasn't. */
  get budgetRefusal(): BudgetRefusal | undefined {
    return this.#budgetRefusal
  }

  /** The delay requested by the provider, if any since the last successful call. */
  get limitResetMs(): number | undefined {
    return this.#limitResetMs
  }

  /** What the run's calls have cost so far. */
  get costUsd(): number {
    return this.#costUsd
  }

  get elapsedMs(): number {
    return this.#parts.now() - this.#startedAt
  }

  /** `onCall` is called before each call. */
  grant(terms: Omit<ModelGrant, 'authorize' | 'onUsage' | 'onLimit'>, onCall: () => void): ModelGrant {
    return {
      ...terms,
      authorize: (estimateUsd) => {
        onCall()
        return this.#authorize(estimateUsd)
      },
      onUsage: (usage) => this.#meter(usage),
      onLimit: ({ retryAfterMs }) => {
        this.#limitResetMs = retryAfterMs
      },
    }
  }

  /** Asked before nearly every call: others spend from the same budget, and it may have been changed. */
  async #authorize(estimateUsd: number | undefined): Promise<Verdict> {
    if (this.#isUnbudgeted && !this.#hasCalled && this.elapsedMs < UNBUDGETED_MS) return this.#allow()
    const budget = await this.#reporter.askBudget(estimateUsd)
    if (!budget) throw new Error('The service did not say what may be spent')
    const { isCapped, maxCost, spent, refusal } = budget
    if (refusal !== undefined) return this.#refuse(refusal, 'monthly-budget')
    if (isCapped && estimateUsd === undefined) {
      return this.#refuse(
        'The model or one of its provider’s tools has no price, so the budget cannot be enforced.',
      )
    }
    if (isCapped && spent + (estimateUsd ?? 0) >= maxCost) {
      const amount = `$${maxCost} is used up: $${spent.toFixed(4)} is spent`
      return this.#refuse(`The budget of ${amount}. Raise it to continue.`)
    }
    return this.#allow()
  }

  #allow(): Verdict {
    this.#budgetRefusal = undefined
    if (!this.#hasCalled) {
      this.#hasCalled = true
      this.#parts.onEvent({ type: 'first-model-call', sinceQueuedMs: this.#queuedMs + this.elapsedMs })
    }
    return { isAllowed: true, message: '' }
  }

  #refuse(message: string, limit: BudgetRefusal['limit'] = 'budget'): Verdict {
    this.#budgetRefusal = { message, limit }
    return { isAllowed: false, message }
  }

  #meter(usage: CallUsage): void {
    const { costUsd, inputTokens, cachedInputTokens, outputTokens, model, status, provider, durationMs } =
      usage
    if (status === 200) this.#limitResetMs = undefined
    this.#calls += 1
    this.#costUsd += costUsd
    this.#reporter.addUsage({ cost: costUsd, inputTokens, cachedInputTokens, outputTokens, model })
    const isFirst = this.#calls === 1
    const call = { provider, status, durationMs, costUsd, isFirst }
    this.#parts.onEvent({ type: 'model-called', ...call, sinceStartMs: this.elapsedMs })
  }
}

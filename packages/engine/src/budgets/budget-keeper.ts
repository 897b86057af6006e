import { formatTimestamp } from '@skein/contract'
import { holdsToRelease, noteLevel, releaseHold } from '@skein/core'
import {
  BudgetStore,
  expireReservations,
  listActiveBudgets,
  TenantEventStore,
  type BudgetMonth,
  type HeldRun,
} from '@skein/store'
import { toDollars } from '../agents/describe-agent.ts'
import { SYSTEM } from '../commands/command.ts'
import { commandRun } from '../commands/run-command.ts'
import { Lookout } from '../loops/lookout.ts'
import type { EngineResources } from '../resources.ts'

const INTERVAL_MS = 2_000
/** In one look, of a budget and of a tenant. The rest comes with the next. */
const MAX_HOLDS = 200
const MAX_TENANT_HOLDS = 4_000
const MAX_EXPIRED = 1_000

/**
 * Looks at budgets that are being spent from or waited for: tells people about levels, and wakes agents that have room
 * again, whether the budget was raised, a month began, or a call cost less than it had reserved. Every server does it.
 * Twice has no effect.
 */
export class BudgetKeeper {
  readonly #engine: EngineResources
  readonly #onError: (error: unknown) => void
  readonly #lookout: Lookout

  constructor(engine: EngineResources, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#onError = onError
    const options = { everyMs: INTERVAL_MS, rests: true, events: engine.events, onError }
    this.#lookout = new Lookout(() => this.look(), options)
  }

  start(): void {
    this.#lookout.start()
  }

  stop(): Promise<void> {
    return this.#lookout.stop()
  }

  async look(): Promise<void> {
    const { database } = this.#engine
    await database.statement((transaction) => expireReservations(transaction, MAX_EXPIRED))
    const active = await database.statement((transaction) => listActiveBudgets(transaction))
    for (const [tenantId, found] of Map.groupBy(active, (each) => each.tenantId)) {
      const names = found.map(({ budget }) => budget)
      // One tenant's failure must not keep the others waiting.
      await this.#lookAt(tenantId, names).catch(this.#onError)
    }
  }

  async #lookAt(tenantId: string, names: readonly string[]): Promise<void> {
    const { database, clock } = this.#engine
    const { months, held } = await database.forTenant(tenantId, async (transaction) => {
      const budgets = new BudgetStore(transaction)
      const amount = Math.max(1, Math.min(MAX_HOLDS, Math.floor(MAX_TENANT_HOLDS / names.length)))
      return { months: await budgets.months(clock.now(), names), held: await budgets.holds(names, amount) }
    })
    for (const month of months) if (tellsNews(month)) await this.#tell(tenantId, month.name)
    for (const [name, holds] of Map.groupBy(held, ({ budget }) => budget)) {
      const budget = months.find((month) => month.name === name && month.isHard)
      const room = budget && {
        amountMicros: budget.amountMicros,
        usedMicros: budget.spentMicros + budget.reservedMicros,
      }
      for (const hold of holdsToRelease(room, holds)) await this.#release(tenantId, hold)
    }
  }

  /** The level is noted in the transaction that adds the event, so each is told once. */
  async #tell(tenantId: string, name: string): Promise<void> {
    const { database, clock } = this.#engine
    const percent = await database.forTenant(tenantId, async (transaction) => {
      const budgets = new BudgetStore(transaction)
      await budgets.lockNotice(name)
      // Again, now that no other server tells about it.
      const [budget] = await budgets.months(clock.now(), [name])
      if (!budget || !tellsNews(budget)) return undefined
      const { isNews, ...notice } = noteLevel(budget.notice, budget)
      await budgets.note(name, budget.month, notice)
      if (!isNews) return undefined
      const events = new TenantEventStore(transaction)
      const sequence = await events.nextSequence()
      // Nobody listens in a tenant without integrations.
      if (sequence !== undefined) {
        await events.add(sequence, {
          type: 'budget.reached',
          budget: name,
          percent: notice.percent,
          amount: toDollars(budget.amountMicros),
          spent: toDollars(budget.spentMicros),
          refuses: budget.isHard && notice.percent >= 100,
          until: budget.nextMonth === undefined ? '' : formatTimestamp(budget.nextMonth),
        })
      }
      return notice.percent
    })
    if (percent !== undefined) this.#engine.events.emit({ type: 'budget-reached', percent })
  }

  /** The hold ends in the transaction that wakes the agent. */
  async #release(tenantId: string, hold: HeldRun): Promise<void> {
    const { random, events } = this.#engine
    const { answer } = await commandRun(
      this.#engine,
      { tenantId, ...hold },
      {
        // A run that had not ended at the last look is looked at again.
        cause: ['budget-room', Buffer.from(random.bytes(16)).toString('hex')],
        isOurs: true,
        actor: SYSTEM,
        decide: async (view) => {
          const decision = releaseHold(hold, view)
          if (decision.answer !== 'waits') await new BudgetStore(view.transaction).endHold(hold)
          return decision
        },
      },
    )
    if (answer === 'resumed') events.emit({ type: 'budget-resumed' })
  }
}

/** Also if nobody has to be told, but what they know is about another amount. */
function tellsNews(budget: BudgetMonth): boolean {
  const { percent, amountMicros, isNews } = noteLevel(budget.notice, budget)
  if (budget.notice === undefined) return isNews
  return isNews || percent !== budget.notice.percent || amountMicros !== budget.notice.amountMicros
}

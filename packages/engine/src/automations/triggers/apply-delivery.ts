import { formatTimestamp, SkeinError, type Tenant } from '@skein/contract'
import {
  agentKey,
  commandRetryTime,
  countedSince,
  deliveryFollowUpId,
  type AgentIdentity,
  type Caller,
} from '@skein/core'
import {
  findOwnTenant,
  findResumedAt,
  TriggerDeliveryStore,
  TriggerStore,
  type HeldTrigger,
  type Transaction,
  type TriggerDeliveryRecord,
} from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { spawnAgent } from '../../agents/spawn-agent.ts'
import type { CommandContext } from '../../commands/command.ts'
import { queueFollowUp } from '../../follow-ups/queue-follow-up.ts'
import type { EngineResources } from '../../resources.ts'
import { isReason, sendOrStart } from '../send-or-start.ts'
import { findTrigger } from './find-trigger.ts'
import type { NoPlan, TriggerOutcome, TriggerPlan } from './plan.ts'

/** Longer than the slowest command and a stalled process. */
export const HOLD_MS = 30_000
/** Outcomes of commands are known for a day. After that, doing it again could do it twice. */
const MAX_PLAN_AGE_MS = 23 * 60 * 60 * 1000
const MAX_REASON_LENGTH = 1000

interface Ended {
  readonly outcome: TriggerOutcome
  readonly reason: string
  /** Whether an agent was started. */
  readonly isStarted?: boolean
}

export type Applied =
  | 'applied'
  /** Nothing was left to apply. */
  | 'nothing'
  /** Another server holds the trigger now. */
  | 'lost'
  /** Retry it, not before this time. */
  | { readonly retryAt: number }

/**
 * Applies the trigger's oldest delivery, in three steps: decide and store the plan, carry it out by commands whose ids
 * follow from the delivery, record the end. Killed between any two, the next server continues with the stored plan, and
 * finds what its commands have done.
 */
export async function applyNext(engine: EngineResources, held: HeldTrigger): Promise<Applied> {
  const { database } = engine
  const { tenantId, trigger } = held
  const found = await database.forTenant(tenantId, async (transaction) => ({
    delivery: await new TriggerDeliveryStore(transaction).next(trigger),
    tenant: await findOwnTenant(transaction),
  }))
  if (!found.delivery) return 'nothing'
  const work = new DeliveryWork(engine, held, found.delivery, found.tenant)
  try {
    const plan = work.storedPlan() ?? (await work.decide())
    if (plan === 'lost') return 'lost'
    return await work.end(plan, 'outcome' in plan ? plan : await work.carryOut(plan))
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error
    return work.afterFailure(error)
  }
}

class DeliveryWork {
  readonly #engine: EngineResources
  readonly #held: HeldTrigger
  readonly #delivery: TriggerDeliveryRecord
  readonly #tenant: Tenant

  constructor(engine: EngineResources, held: HeldTrigger, delivery: TriggerDeliveryRecord, tenant: Tenant) {
    this.#engine = engine
    this.#held = held
    this.#delivery = delivery
    this.#tenant = tenant
  }

  storedPlan(): TriggerPlan | NoPlan | undefined {
    const { plan, plannedAt } = this.#delivery
    if (plan === null || plannedAt === undefined) return undefined
    if (this.#engine.clock.now() - plannedAt > MAX_PLAN_AGE_MS) {
      return {
        outcome: 'REFUSED',
        reason:
          'Skein was down or the tenant was suspended for a day while it was applied: redeliver it if need be.',
      }
    }
    // eslint-disable-next-line typescript/no-unsafe-type-assertion -- written by `decide` below
    return plan as TriggerPlan
  }

  async decide(): Promise<TriggerPlan | NoPlan | 'lost'> {
    const { tenantId, trigger: name } = this.#held
    const { id, receivedAt, headers } = this.#delivery
    const { trigger, body } = await this.#engine.database.forTenant(tenantId, async (transaction) => ({
      trigger: await findTrigger(transaction, name),
      body: await new TriggerDeliveryStore(transaction).body(name, id),
    }))
    if (!trigger || !body)
      return { outcome: 'REFUSED', reason: 'The trigger cannot be read: write it again.' }
    if (trigger.paused) return { outcome: 'IGNORED', reason: 'The trigger is paused.' }
    const plan = await this.#engine.triggerRules.plan(tenantId, {
      name,
      trigger,
      deliveryId: id,
      receivedTime: formatTimestamp(receivedAt),
      headers,
      body,
    })
    if ('outcome' in plan) return plan
    const isKept = await this.#whileHeld((transaction) =>
      new TriggerDeliveryStore(transaction).plan(name, id, plan, this.#engine.clock.now()),
    )
    return isKept ? plan : 'lost'
  }

  async carryOut(plan: TriggerPlan): Promise<Ended> {
    const { message } = plan
    if (message === undefined) return this.#start(plan, '')
    const send = (suffix: string) => this.#send(plan, message, suffix)
    const start = (suffix: string) => this.#start(plan, suffix)
    return plan.spawn ? sendOrStart({ send, start }) : send('')
  }

  async #start(plan: TriggerPlan, suffix: string): Promise<Ended> {
    const { spawn, maxAgents, workspace, agent } = plan
    if (!spawn) throw new TypeError('A plan without a message starts an agent')
    const { tenantId, trigger } = this.#held
    const alive = await this.#engine.database.forTenant(tenantId, (transaction) =>
      new TriggerStore(transaction).liveAgents(trigger),
    )
    if (alive >= maxAgents) {
      return {
        outcome: 'REFUSED',
        reason: `${alive} agents of the trigger are alive: its limit is ${maxAgents}.`,
      }
    }
    try {
      const request = { ...spawn, agentId: { workspace, agent: [agent] } }
      await spawnAgent(
        this.#engine,
        this.#callerOf(plan),
        () => this.#contextFor(plan, `spawn${suffix}`),
        request,
      )
    } catch (error) {
      // The name belongs to this delivery alone, so it was this delivery that started it.
      if (!plan.isOwnName || !isReason(error, 'AGENT_ALREADY_EXISTS')) throw error
    }
    return { outcome: 'SPAWNED', reason: '', isStarted: true }
  }

  async #send(plan: TriggerPlan, description: string, suffix: string): Promise<Ended> {
    const { tenantId, trigger } = this.#held
    const target = { tenantId, tenant: this.#tenant, identity: identityOf(plan) }
    const followUpId = deliveryFollowUpId(trigger, this.#delivery.id)
    await queueFollowUp(this.#engine, this.#contextFor(plan, `send${suffix}`), target, {
      agentId: {},
      description,
      followUpId,
    })
    return { outcome: 'SENT', reason: '' }
  }

  #callerOf({ profile }: TriggerPlan): Caller {
    const { tenantId, trigger } = this.#held
    return {
      tenantId,
      tenant: this.#tenant,
      ownerProvider: 'PROVIDER_SERVICE_PROFILE',
      account: profile,
      role: 'member',
      token: `trigger/${trigger}`,
      pools: [],
      servesAllTenants: false,
    }
  }

  /** The stored plan determines the request, so that is not compared. */
  #contextFor(plan: TriggerPlan, step: string): CommandContext {
    return {
      caller: this.#callerOf(plan),
      tenantId: this.#held.tenantId,
      requestId: `trigger-${uuidV7()}`,
      idempotency: { key: this.#delivery.id, path: `trigger/${step}`, request: null },
    }
  }

  async end(plan: TriggerPlan | NoPlan, { outcome, reason, isStarted = false }: Ended): Promise<Applied> {
    const { trigger } = this.#held
    const { id, receivedAt } = this.#delivery
    const now = this.#engine.clock.now()
    const agent =
      'agent' in plan && (outcome === 'SPAWNED' || outcome === 'SENT')
        ? { agent: plan.agent, workspace: plan.workspace, account: plan.profile }
        : { agent: '', workspace: '', account: '' }
    const isKept = await this.#whileHeld(async (transaction) => {
      const ended = { outcome, reason: reason.slice(0, MAX_REASON_LENGTH), ...agent, at: now }
      await new TriggerDeliveryStore(transaction).end(trigger, id, ended)
      if (isStarted && 'agent' in plan) {
        await new TriggerStore(transaction).addAgent(trigger, agentKey(identityOf(plan)))
      }
    })
    if (!isKept) return 'lost'
    this.#engine.events.emit({ type: 'trigger-applied', outcome, lagMs: Math.max(0, now - receivedAt) })
    return 'applied'
  }

  /** A quota that is used up is the sender's or the tenant's matter. What may pass by itself is tried for an hour. */
  async afterFailure(error: SkeinError): Promise<Applied> {
    const { trigger, tenantId } = this.#held
    const { id, receivedAt, attempts } = this.#delivery
    const none: NoPlan = { outcome: 'REFUSED', reason: error.message }
    if (error.isFinal || error.reason === 'QUOTA_EXCEEDED') return this.end(none, none)
    const now = this.#engine.clock.now()
    const resumedAt = await this.#engine.database.forTenant(tenantId, findResumedAt)
    const since = attempts > 0 ? countedSince(receivedAt, resumedAt) : now
    const retryAt = commandRetryTime(since, attempts, now)
    if (retryAt === undefined) {
      return this.end(none, { outcome: 'FAILED', reason: error.message })
    }
    const isKept = await this.#whileHeld((transaction) =>
      new TriggerDeliveryStore(transaction).postpone(trigger, id, error.message.slice(0, MAX_REASON_LENGTH)),
    )
    return isKept ? { retryAt } : 'lost'
  }

  /** Does nothing, and returns false, if another server holds the trigger by now. */
  #whileHeld(work: (transaction: Transaction) => Promise<void>): Promise<boolean> {
    return this.#engine.database.forTenant(this.#held.tenantId, async (transaction) => {
      const isKept = await new TriggerStore(transaction).keep(this.#held, HOLD_MS)
      if (isKept) await work(transaction)
      return isKept
    })
  }
}

function identityOf({ profile, workspace, agent }: TriggerPlan): AgentIdentity {
  return { workspace, ownerProvider: 'PROVIDER_SERVICE_PROFILE', account: profile, path: [agent] }
}

import { SkeinError, type ScheduleDocument, type SpawnAgentRequest } from '@skein/contract'
import { commandRetryTime, countedSince, followUpIdOf, TIME_PLACEHOLDER, type SpawnAgent } from '@skein/core'
import { AgentReader, findResumedAt, type ClaimedSchedule, type Firing } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { killAgent } from '../../agents/kill-agent.ts'
import { spawnAgent } from '../../agents/spawn-agent.ts'
import type { CommandContext } from '../../commands/command.ts'
import { queueFollowUp } from '../../follow-ups/queue-follow-up.ts'
import type { EngineResources } from '../../resources.ts'
import { isReason, sendOrStart } from '../send-or-start.ts'
import { agentOfFiring, callerOf } from './schedule-document.ts'

const MAX_DETAIL_LENGTH = 1000

/**
 * Does what a firing is for, through the commands that callers use. Each command has an id that follows from the
 * firing, so that doing it again has no effect. Returns the firing with its outcome.
 */
export async function carryOutFiring(
  engine: EngineResources,
  claimed: ClaimedSchedule,
  document: ScheduleDocument,
  firing: Firing,
): Promise<Firing> {
  const work = new FiringWork(engine, claimed, document, firing)
  try {
    const outcome = document.send ? await work.send(document.send) : await work.spawn()
    return { ...firing, outcome, detail: '', endedAt: engine.clock.now() }
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error
    const resumedAt = await engine.database.forTenant(claimed.tenantId, findResumedAt)
    return afterFailure(firing, error, { now: engine.clock.now(), resumedAt })
  }
}

function afterFailure(
  firing: Firing,
  error: SkeinError,
  { now, resumedAt }: { readonly now: number; readonly resumedAt: number | undefined },
): Firing {
  const detail = error.message.slice(0, MAX_DETAIL_LENGTH)
  const attempts = firing.attempts + 1
  const since = countedSince(firing.startedAt ?? now, resumedAt)
  const retryAt = error.isFinal ? undefined : commandRetryTime(since, firing.attempts, now)
  if (retryAt === undefined) {
    return { ...firing, outcome: 'failed', agentKey: '', agent: '', detail, attempts, endedAt: now }
  }
  return { ...firing, detail, attempts, retryAt }
}

class FiringWork {
  readonly #engine: EngineResources
  readonly #claimed: ClaimedSchedule
  readonly #document: ScheduleDocument
  readonly #firing: Firing

  constructor(engine: EngineResources, claimed: ClaimedSchedule, document: ScheduleDocument, firing: Firing) {
    this.#engine = engine
    this.#claimed = claimed
    this.#document = document
    this.#firing = firing
  }

  async spawn(): Promise<'started'> {
    await this.#killReplaced()
    const name = this.#document.spawn?.agent ?? ''
    try {
      await this.#spawn('spawn')
    } catch (error) {
      // The name belongs to this firing alone: it was this firing that started it, more than a day ago.
      const isOwn = name === '' || name.includes(TIME_PLACEHOLDER)
      if (!isOwn || !isReason(error, 'AGENT_ALREADY_EXISTS')) throw error
    }
    return 'started'
  }

  /** An agent that is not alive is started with the message, if the schedule says how. */
  async send({ message }: NonNullable<ScheduleDocument['send']>): Promise<'sent'> {
    const send = (suffix: string) => this.#queue(`send${suffix}`, message)
    const start = (suffix: string) =>
      this.#spawn(`start${suffix}`, { followUpId: this.#followUpId, description: message })
    await (this.#document.spawn ? sendOrStart({ send, start }) : send(''))
    return 'sent'
  }

  get #followUpId(): string {
    return followUpIdOf(this.#claimed.name, this.#firing.dueAt)
  }

  async #queue(step: string, description: string): Promise<void> {
    const { tenantId, tenant, name } = this.#claimed
    const { identity } = agentOfFiring(this.#document, name, this.#firing.dueAt)
    await queueFollowUp(
      this.#engine,
      this.#contextFor(step),
      { tenantId, tenant, identity },
      {
        agentId: {},
        description,
        followUpId: this.#followUpId,
        preempt: this.#document.overlap === 'replace',
      },
    )
  }

  async #spawn(step: string, firstFollowUp?: SpawnAgent['firstFollowUp']): Promise<void> {
    const caller = callerOf(this.#claimed, this.#document)
    const context = () => this.#contextFor(step)
    await spawnAgent(this.#engine, caller, context, this.#spawnRequest(), firstFollowUp)
  }

  #spawnRequest(): SpawnAgentRequest {
    const { spawn, workspace } = this.#document
    if (!spawn) throw new TypeError('A schedule that spawns says what')
    const { identity } = agentOfFiring(this.#document, this.#claimed.name, this.#firing.dueAt)
    const { persona, agent: _pattern, ...rest } = spawn
    return {
      ...rest,
      agent: persona,
      agentId: {
        ownerProvider: identity.ownerProvider,
        account: identity.account,
        workspace,
        agent: [...identity.path],
      },
    }
  }

  /** Nothing to do if it has ended in the meantime, or is gone. */
  async #killReplaced(): Promise<void> {
    const { replaces } = this.#firing
    if (replaces === '') return
    const { tenantId, tenant } = this.#claimed
    const agent = await this.#engine.database.forTenant(tenantId, (transaction) =>
      new AgentReader(transaction).find(replaces),
    )
    if (!agent) return
    try {
      await killAgent(this.#engine, this.#contextFor('kill'), { tenantId, tenant, identity: agent.identity })
    } catch (error) {
      if (!isReason(error, 'AGENT_NOT_FOUND')) throw error
    }
  }

  /** The firing determines the request, so that is not compared. */
  #contextFor(step: string): CommandContext {
    const { tenantId, name } = this.#claimed
    const key = `${name}/${this.#firing.dueAt}`
    return {
      caller: callerOf(this.#claimed, this.#document),
      tenantId,
      requestId: `schedule-${uuidV7()}`,
      idempotency: { key, path: `schedule/${step}`, request: null },
    }
  }
}

import { encodeBase64Text, findKind, SkeinError, type Reason } from '@skein/contract'
import type { Caller, ResourceRef } from '@skein/core'
import { CatalogStore, KeyStore, LeaverStore, type HeldLeaver, type LeaverRecord } from '@skein/store'
import { v7 as uuidV7 } from 'uuid'
import { killAgent } from '../agents/kill-agent.ts'
import { writeResource } from '../catalog/write-resource.ts'
import { SYSTEM, type CommandContext } from '../commands/command.ts'
import type { EngineResources } from '../resources.ts'

/** If a server takes longer, another one does the same: each step can be done twice. */
export const HOLD_MS = 15_000
/** Until then, a server may still accept a key that has ended, and finish what it was asked for. */
const SETTLE_MS = 15_000
const MAX_PAUSE_MS = 60_000

/** Somebody else was faster, or took it over. */
const DONE: ReadonlySet<Reason> = new Set(['AGENT_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'GENERATION_MISMATCH'])

/**
 * Ends, or hands over, what belonged to somebody who left. Looks twice: at once, and when nothing that they began can
 * still be on its way.
 */
export async function workOnLeaver(engine: EngineResources, held: HeldLeaver): Promise<void> {
  const { database, clock } = engine
  const leaver = await database.forTenant(held.tenantId, (transaction) =>
    new LeaverStore(transaction).lock(held),
  )
  if (!leaver) return
  try {
    const steps = [killAgents, revokeDocuments, pauseAutomations, noteMinted]
    await tryEach(steps, (step) => step(engine, held, leaver))
  } catch (error) {
    await putOff(engine, held, leaver, error)
    throw error
  }
  const settledAt = leaver.leftAt + SETTLE_MS
  const now = clock.now()
  await database.forTenant(held.tenantId, (transaction) => {
    const leavers = new LeaverStore(transaction)
    if (now >= settledAt) return leavers.finish(held, now)
    return leavers.release(held, { dueAt: settledAt, attempts: 0, problem: '' })
  })
}

async function killAgents(engine: EngineResources, held: HeldLeaver, leaver: LeaverRecord): Promise<void> {
  const { tenantId, tenant } = held
  const { database, clock } = engine
  const problems = new Problems()
  for (;;) {
    const wanted = { until: leaver.leftAt + SETTLE_MS, without: problems.amount }
    const agents = await database.forTenant(tenantId, (transaction) =>
      new LeaverStore(transaction).agentsToKill(leaver, wanted),
    )
    if (agents.length === 0) break
    const before = problems.amount
    for (const identity of agents) {
      await problems.collect(async () => {
        if (!identity) throw new Error('The state of an agent cannot be read')
        await killAgent(engine, contextFor(held, leaver), { tenantId, tenant, identity })
      })
    }
    const killed = agents.length - (problems.amount - before)
    await database.forTenant(tenantId, (transaction) =>
      new LeaverStore(transaction).noteKilled(held, killed, clock.now() + HOLD_MS),
    )
  }
  problems.throwFirst()
}

/** Their keys have ended already. The documents say so too, so that nobody looks for the reason. */
async function revokeDocuments(
  engine: EngineResources,
  held: HeldLeaver,
  leaver: LeaverRecord,
): Promise<void> {
  const refs = await engine.database.forTenant(held.tenantId, async (transaction) => {
    const catalog = new CatalogStore(transaction)
    const all = await new KeyStore(transaction).resourcesOfAccount(leaver)
    const valid: ResourceRef[] = []
    for (const ref of all) {
      const document = (await catalog.find(ref))?.document
      if (document?.['revoked'] === false && document['account'] === leaver.account) valid.push(ref)
    }
    return valid
  })
  await tryEach(refs, (ref) => setFlag(engine, held, leaver, { ...ref, flag: 'revoked' }))
}

/** First says what it is about to pause: once paused, it is no longer the leaver's. */
async function pauseAutomations(
  engine: EngineResources,
  held: HeldLeaver,
  leaver: LeaverRecord,
): Promise<void> {
  const running = await engine.database.forTenant(held.tenantId, async (transaction) => {
    const leavers = new LeaverStore(transaction)
    const found = await leavers.automationsOf(leaver, leaver.leftAt + SETTLE_MS)
    const known = new Set(leaver.paused.map(({ kind, name }) => `${kind}/${name}`))
    const added = found.filter(({ kind, name }) => !known.has(`${kind}/${name}`))
    if (added.length > 0) {
      const refs = added.map(({ kind, name }) => ({ kind, name }))
      await leavers.notePaused(held, [...leaver.paused, ...refs])
    }
    return found
  })
  await tryEach(running, ({ kind, name, generation }) => {
    const flag = kind === 'integration' ? 'disabled' : 'paused'
    return setFlag(engine, held, leaver, { kind, name, flag, generation })
  })
}

/** Keys of other accounts go on working, but the leaver may know them: admins are told which. Their own are revoked by now. */
async function noteMinted(engine: EngineResources, held: HeldLeaver, leaver: LeaverRecord): Promise<void> {
  await engine.database.forTenant(held.tenantId, async (transaction) => {
    const leavers = new LeaverStore(transaction)
    await leavers.noteMinted(held, await leavers.findMinted(leaver, leaver.leftAt + SETTLE_MS))
  })
}

interface FlagChange extends ResourceRef {
  readonly flag: string
  /** If it was written since, it is somebody else's. */
  readonly generation?: bigint
}

async function setFlag(
  engine: EngineResources,
  held: HeldLeaver,
  leaver: LeaverRecord,
  { kind: kindName, name, flag, generation }: FlagChange,
): Promise<void> {
  const kind = findKind(kindName)
  if (!kind) return
  const context = contextFor(held, leaver)
  await writeResource(engine, context, {
    kind,
    name,
    payload: encodeBase64Text(JSON.stringify({ [flag]: true })),
    updateMask: flag,
    ifGenerationMatch: generation,
    justification: context.justification ?? '',
  })
}

/** What went wrong with some of it. The rest goes on. */
class Problems {
  #first: unknown
  amount = 0

  async collect(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (error instanceof SkeinError && DONE.has(error.reason)) return
      this.#first ??= error
      this.amount += 1
    }
  }

  throwFirst(): void {
    if (this.amount > 0) throw this.#first
  }
}

/** One that fails does not keep the others from being done. */
async function tryEach<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const problems = new Problems()
  for (const item of items) await problems.collect(() => work(item))
  problems.throwFirst()
}

/** Tries again later, for as long as it takes. The list of people who left says why. */
async function putOff(
  { database, clock }: EngineResources,
  held: HeldLeaver,
  { attempts }: LeaverRecord,
  error: unknown,
): Promise<void> {
  const problem = error instanceof SkeinError ? error.message : 'An internal error: see the server’s log.'
  const dueAt = clock.now() + Math.min(MAX_PAUSE_MS, 1000 * 2 ** Math.min(attempts, 10))
  await database.forTenant(held.tenantId, (transaction) =>
    new LeaverStore(transaction).release(held, { dueAt, attempts: attempts + 1, problem }),
  )
}

/** The service itself does it, and says for whom. */
function contextFor({ tenantId, tenant }: HeldLeaver, { directory, account }: LeaverRecord): CommandContext {
  const caller: Caller = {
    tenantId,
    tenant,
    ownerProvider: 'PROVIDER_SERVICE_PROFILE',
    account: SYSTEM,
    role: 'operator',
    token: `directory/${directory}`,
    pools: [],
    servesAllTenants: false,
  }
  return { caller, tenantId, requestId: uuidV7(), justification: `${account} has left.` }
}

import type { AgentState } from '@skein/core'
import { AgentReader, FleetFeed, type Database, type FeedPosition } from '@skein/store'
import { SharedReads } from '../shared-reads.ts'

const BATCH = 500

type FeedRow = Awaited<ReturnType<FleetFeed['after']>>['rows'][number]

interface Batch {
  readonly settled: bigint
  readonly rows: readonly FeedRow[]
  readonly agents: ReadonlyMap<string, AgentState>
}

/** An agent's current state, and the position of its first change in the batch. */
interface ChangedAgent {
  readonly agent: AgentState
  readonly position: FeedPosition
}

interface Changes {
  readonly settled: bigint
  /** One entry per agent. */
  readonly found: readonly ChangedAgent[]
  readonly reached: FeedPosition
  readonly isMore: boolean
}

/**
 * Reads the outbox once for all watchers of a tenant, whatever they filter by. Each read starts at the earliest
 * position any of them asks for, and each skips what it has already seen.
 */
export class ChangeFeed {
  readonly #database: Database
  readonly #reads = new SharedReads<Batch>()
  readonly #earliest = new Map<string, FeedPosition>()

  constructor(database: Database) {
    this.#database = database
  }

  async after(tenantId: string, from: FeedPosition): Promise<Changes> {
    const earliest = this.#earliest.get(tenantId)
    if (!earliest || isBefore(from, earliest)) this.#earliest.set(tenantId, from)
    const batch = await this.#reads.read(tenantId, () => {
      const start = this.#earliest.get(tenantId) ?? from
      this.#earliest.delete(tenantId)
      return this.#read(tenantId, start)
    })
    const reached = batch.rows.at(-1)
    const isBehindUs = batch.rows.length === BATCH && reached !== undefined && !isBefore(from, reached)
    if (!isBehindUs) return cut(batch, from)
    // Someone is so far behind that the batch ends before our position: watchers at this position share another
    // read.
    const here = `${tenantId}/${from.xid}/${from.id}`
    return cut(await this.#reads.read(here, () => this.#read(tenantId, from)), from)
  }

  #read(tenantId: string, from: FeedPosition): Promise<Batch> {
    return this.#database.forTenant(tenantId, async (transaction) => {
      const { settled, rows } = await new FleetFeed(transaction).after(from, BATCH)
      const ids = new Set(rows.map(({ agentId }) => agentId))
      const agents = ids.size > 0 ? await new AgentReader(transaction).findAll([...ids]) : []
      return { settled, rows, agents: new Map(agents.map((agent) => [agent.id, agent])) }
    })
  }
}

function cut({ settled, rows, agents }: Batch, from: FeedPosition): Changes {
  const found = new Map<string, ChangedAgent>()
  for (const { agentId, xid, id } of rows) {
    const agent = agents.get(agentId)
    if (!agent || found.has(agentId) || !isBefore(from, { xid, id })) continue
    found.set(agentId, { agent, position: { xid, id } })
  }
  const last = rows.at(-1)
  return {
    settled,
    found: [...found.values()],
    reached: last && isBefore(from, last) ? last : from,
    isMore: rows.length === BATCH,
  }
}

function isBefore(one: FeedPosition, other: FeedPosition): boolean {
  return one.xid === other.xid ? one.id < other.id : one.xid < other.xid
}

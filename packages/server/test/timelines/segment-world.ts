import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentId, TimelineEvent } from '@skein/contract'
import { SegmentMover } from '@skein/engine'
import { AgentWorld, must } from '../agents/agent-world.ts'

/** A world whose server has a blob store in a folder, and months that are long over. */
export class SegmentWorld {
  readonly world: AgentWorld
  readonly folder: string

  private constructor(world: AgentWorld, folder: string) {
    this.world = world
    this.folder = folder
  }

  static async start(blobs?: string): Promise<SegmentWorld> {
    const folder = await mkdtemp(join(tmpdir(), 'skein-segments-'))
    const world = await AgentWorld.start({ settings: { SKEIN_BLOBS: blobs ?? `file:${folder}` } })
    const segments = new SegmentWorld(world, folder)
    await segments.makeMonths()
    return segments
  }

  /** Of a server whose blob store is in this folder already. Its old events are in the default partition. */
  static of(world: AgentWorld, folder: string): SegmentWorld {
    return new SegmentWorld(world, folder)
  }

  async close(): Promise<void> {
    await this.world.close()
    await rm(this.folder, { recursive: true, force: true })
  }

  /** As if the service had run for long. */
  async makeMonths(): Promise<void> {
    for (const ago of [5, 4, 3, 2, 1])
      await this.world.sql(`
        do $$ declare
          starts timestamptz := date_trunc('month', now(), 'UTC') - ${ago} * interval '1 month';
        begin
          execute format('create table if not exists %I partition of timeline for values from (%L) to (%L)',
            partition_name('timeline', starts), starts, starts + interval '1 month');
        end $$`)
  }

  /** A webhook still needs its events from this one on. */
  async hold(agentId: AgentId, from: number): Promise<void> {
    await this.world.sql(
      `insert into lane (tenant_id, integration, agent_id, replay_id, next_sequence, last_sequence, waiting_since, due_at)
       values ($1, 'hook', $2, gen_random_uuid(), $3, $3, now(), 'infinity')`,
      [this.world.tenant.id, await this.idOf(agentId), from],
    )
  }

  /** What a server does every minute. */
  async move({ backupDays = 30 } = {}): Promise<void> {
    const errors: unknown[] = []
    const ages = { days: 30, backupDays }
    await new SegmentMover(this.world.server.engine, ages, (error) => errors.push(error)).run()
    if (errors.length > 0) throw errors[0]
  }

  /** The agent's events up to this one happened long ago. */
  async age(agentId: AgentId, until: number | bigint = 1_000_000): Promise<void> {
    await this.world.sql(
      `update timeline set created_at = created_at - interval '100 days'
       where agent_id = $1 and sequence <= $2 and created_at > now() - interval '50 days'`,
      [await this.idOf(agentId), until],
    )
  }

  async idOf(agentId: AgentId): Promise<string> {
    const [row] = await this.world.sql(`select id from agent where key like '%/' || $1 and tenant_id = $2`, [
      agentId.agent.join('/'),
      this.world.tenant.id,
    ])
    return String(row?.['id'])
  }

  /** Page by page. */
  async read(agentId: AgentId, pageSize = 100, after = '0'): Promise<TimelineEvent[]> {
    const all: TimelineEvent[] = []
    for (let afterSequence = after; ;) {
      const body = { agentId, afterSequence, pageSize }
      const answer = must(await this.world.admin.post('/v1/agent/timeline', body)).body
      const events = answer['events'] as TimelineEvent[]
      all.push(...events)
      if (events.length === 0 || events.at(-1)?.sequence === answer['lastSequence']) return all
      afterSequence = String(events.at(-1)?.sequence)
    }
  }

  async rows(agentId: AgentId): Promise<number> {
    const found = await this.world.sql('select from timeline where agent_id = $1', [await this.idOf(agentId)])
    return found.length
  }

  segments(agentId: AgentId): Promise<Record<string, unknown>[]> {
    return this.idOf(agentId).then((id) =>
      this.world.sql(
        `select *, encode(object, 'hex') as name from timeline_segment where agent_id = $1 order by last_sequence`,
        [id],
      ),
    )
  }

  /** The files of all objects. */
  async objects(): Promise<string[]> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  }
}

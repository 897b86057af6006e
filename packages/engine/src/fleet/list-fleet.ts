import type { FleetEntry } from '@skein/contract'
import { FleetFeed, FleetReader, type FleetFilter, type ReadPosition } from '@skein/store'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, TIME_AND_ID, type Page } from '../paging.ts'
import type { EngineResources } from '../resources.ts'
import { requireSeenOnly } from '../agents/read-agent.ts'
import { readDescribing, type ListedTenant } from '../agents/describe-agent.ts'
import { toFleetEntry } from './describe-fleet.ts'
import { formatCursor } from '../agents/fleet-cursor.ts'

/** Agents of all levels, newest first. */
export async function listFleet(
  engine: EngineResources,
  listed: ListedTenant,
  filter: FleetFilter,
  page: Page,
  position: ReadPosition,
): Promise<{ entries: FleetEntry[]; nextPageToken: string; cursor: string }> {
  const [at, id] = decodePageToken('fleet', page, TIME_AND_ID) ?? []
  const before = at === undefined || id === undefined ? undefined : { at: Number(at), id }
  const pageSize = pageSizeOf(page)
  const now = engine.clock.now()
  // A watch from the first page's cursor relies on later pages: they must not be older.
  const from = before === undefined ? position : 'latest'
  const { settled, agents } = await engine.reads.forTenant(listed.tenantId, from, async (transaction) => ({
    // Read the horizon first: a commit in between is then both listed and watched.
    settled: (await new FleetFeed(transaction).horizon()).settled,
    agents: await new FleetReader(transaction).list(filter, before, pageSize + 1),
  }))
  requireSeenOnly(agents, filter.workspaces)
  const { shown, last } = splitPage(agents, pageSize)
  const facts = await readDescribing(engine, listed, shown)
  return {
    entries: shown.map((agent) => toFleetEntry(agent, facts)),
    nextPageToken: last === undefined ? '' : encodePageToken('fleet', [last.createdAt.toString(), last.id]),
    cursor: formatCursor(engine.cell, { xid: settled, id: 0n }, now),
  }
}

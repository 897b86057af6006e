import { formatTimestamp, type LeaverEntry } from '@skein/contract'
import { LeaverStore, type LeaverRecord } from '@skein/store'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, TIME_AND_ID, type Page } from '../paging.ts'
import type { EngineResources } from '../resources.ts'

const LIST = 'leavers'
/** Newest first. */
export async function listLeavers(
  { database }: EngineResources,
  tenantId: string,
  page: Page,
): Promise<{ leavers: LeaverEntry[]; nextPageToken: string }> {
  const [leftAt, id] = decodePageToken(LIST, page, TIME_AND_ID) ?? []
  const before = leftAt === undefined || id === undefined ? undefined : { leftAt: Number(leftAt), id }
  const pageSize = pageSizeOf(page)
  const records = await database.forTenant(tenantId, (transaction) =>
    new LeaverStore(transaction).listBefore(before, pageSize + 1),
  )
  const { shown, last } = splitPage(records, pageSize)
  return {
    leavers: shown.map(toEntry),
    nextPageToken: last === undefined ? '' : encodePageToken(LIST, [String(last.leftAt), last.id]),
  }
}

function toEntry({
  account,
  directory,
  leftAt,
  endedAt,
  killedAgents,
  paused,
  minted,
  problem,
}: LeaverRecord): LeaverEntry {
  return {
    account,
    directory,
    leaveTime: formatTimestamp(leftAt),
    endTime: endedAt === undefined ? '' : formatTimestamp(endedAt),
    killedAgents,
    paused: paused.map(({ kind, name }) => ({ kind, name })),
    minted: minted.map(({ kind, name }) => ({ kind, name })),
    problem,
  }
}

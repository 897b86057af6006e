import {
  formatTimestamp,
  SkeinError,
  type Diff,
  type listDiffs as listOperation,
  type ReadDiffRequest,
  type readDiff as readOperation,
  type ResponseOf,
} from '@skein/contract'
import { isUuid } from '@skein/contract/facts'
import { DiffStore, type DiffRecord, type ListedFile } from '@skein/store'
import { findAgent } from '../agents/read-agent.ts'
import type { AgentTarget } from '../commands/agent-target.ts'
import { decodePageToken, encodePageToken, pageSizeOf } from '../paging.ts'
import type { EngineResources } from '../resources.ts'

const PAGE_BYTES = 1024 * 1024
const INDEX = /^[0-9]{1,6}$/

/** A caller who can read the agent can read its diffs. */
export async function listDiffs(
  engine: EngineResources,
  target: AgentTarget,
): Promise<ResponseOf<typeof listOperation>> {
  const agent = await findAgent(engine, target)
  const found = await engine.database.forTenant(target.tenantId, (transaction) =>
    new DiffStore(transaction).list(agent.id),
  )
  return { diffs: found.map(toDiff) }
}

export async function readDiff(
  engine: EngineResources,
  target: AgentTarget,
  { diffId, withPatches = false, file, ...page }: ReadDiffRequest,
): Promise<ResponseOf<typeof readOperation>> {
  const agent = await findAgent(engine, target)
  const list = `diff/${diffId}`
  const [after] = decodePageToken(list, page, INDEX) ?? []
  if (!isUuid(diffId)) throw new SkeinError('DIFF_NOT_FOUND')
  return engine.database.forTenant(target.tenantId, async (transaction) => {
    const store = new DiffStore(transaction)
    const found = await store.find(agent.id, diffId)
    if (!found) throw new SkeinError('DIFF_NOT_FOUND')
    const { diff, files } = found
    if (file !== undefined && file >= files.length) {
      const message = `The diff has ${files.length} files, numbered from 0.`
      throw new SkeinError('DIFF_NOT_FOUND', { message })
    }
    const from = file ?? (after === undefined ? 0 : Number(after) + 1)
    const most = file === undefined ? pageSizeOf(page) : 1
    const to = endOfPage(files, from, most, withPatches ? PAGE_BYTES : Infinity)
    const patches = withPatches ? await store.patches(agent.id, diffId, { from, to }) : undefined
    const shown = files.slice(from, to).map((listed, position) => {
      const index = from + position
      return { index, ...listed, patch: patches?.get(index) ?? '' }
    })
    const isLast = file !== undefined || to >= files.length
    return {
      diff: toDiff(diff),
      files: shown,
      nextPageToken: isLast ? '' : encodePageToken(list, [String(to - 1)]),
    }
  })
}

/** At least one file. */
function endOfPage(files: readonly ListedFile[], from: number, most: number, maxBytes: number): number {
  let to = from
  let bytes = 0
  while (to < files.length && to - from < most && (to === from || bytes < maxBytes)) {
    bytes += files[to]?.patchBytes ?? 0
    if (bytes > maxBytes && to > from) break
    to += 1
  }
  return to
}

function toDiff({ id, createdAt, ...facts }: DiffRecord): Diff {
  return { diffId: id, ...facts, createTime: formatTimestamp(createdAt) }
}

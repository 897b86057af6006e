import type { Query } from '../database/database.ts'
import { projectRows, projectTotals } from './project.ts'
import type { ChangeRows } from './tree-rows.ts'
import type { TreeTraces, TreeWrite } from './tree-write.ts'
import { writeManyQuery } from './write-many.ts'
import { asOneChange, writeOneQuery } from './write-one.ts'

/** This process makes the rows of so many agents in about a fiftieth of a second, for which other requests wait. */
const AGENTS_OF_A_PART = 250

/**
 * The statements that write all rows, including the command's record: one, unless very many agents change. Each is made
 * when it is called, so that PostgreSQL can carry out one while this process makes the next.
 */
export function writeTreeQueries(tenantId: string, at: number, write: TreeWrite): readonly (() => Query)[] {
  const { changes, traces } = write
  const livesChange = changes.some(({ liveDelta }) => liveDelta !== 0)
  return inParts(changes, AGENTS_OF_A_PART).map((part, index, { length }) => () => {
    const rows = withTraces(projectRows(part), traces)
    const totals = index === length - 1 ? projectTotals(changes) : undefined
    const one = totals && length === 1 && asOneChange({ ...rows, ...totals })
    return one
      ? writeOneQuery(tenantId, at, write, one)
      : writeManyQuery(tenantId, at, write, { rows, livesChange, totals })
  })
}

/** One part if there is nothing: a command that changes nothing is recorded, too. */
function inParts<Element>(elements: readonly Element[], size: number): (readonly Element[])[] {
  if (elements.length <= size) return [elements]
  return Array.from({ length: Math.ceil(elements.length / size) }, (_, index) =>
    elements.slice(index * size, (index + 1) * size),
  )
}

/** Traces say where rows come from, not what they are: no event knows them. */
function withTraces(rows: ChangeRows, traces: TreeTraces | undefined): ChangeRows {
  if (!traces) return rows
  const { ofCommand, ofRuns } = traces
  return {
    ...rows,
    ...(rows.newFollowUps &&
      ofCommand !== undefined && {
        newFollowUps: rows.newFollowUps.map((row) => ({ ...row, traceparent: ofCommand })),
      }),
    ...(rows.queuedRuns && {
      queuedRuns: rows.queuedRuns.map((row) => {
        const traceparent = ofRuns.get(row.agentId)
        return traceparent === undefined ? row : { ...row, traceparent }
      }),
    }),
  }
}

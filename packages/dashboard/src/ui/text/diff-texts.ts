import { diffLines } from 'diff'

export type DiffRow = DiffPart & {
  /** Its position. */
  readonly id: number
}

type DiffPart =
  | { readonly type: 'same' | 'added' | 'removed'; readonly text: string }
  /** Unchanged lines that are left out. */
  | { readonly type: 'gap'; readonly count: number }

const CONTEXT = 3

/** A line diff. Long unchanged parts are left out. */
export function diffTexts(before: string, after: string): readonly DiffRow[] {
  const changes = diffLines(endLine(before), endLine(after))
  const parts = changes.flatMap(({ value, added, removed }, index): readonly DiffPart[] => {
    const lines = value.replace(/\n$/, '').split('\n')
    if (added || removed) return lines.map((text) => ({ type: added ? 'added' : 'removed', text }))
    const head = index === 0 ? 0 : CONTEXT
    const tail = index === changes.length - 1 ? 0 : CONTEXT
    return leaveOut(lines, head, tail)
  })
  return parts.map((part, id) => ({ ...part, id }))
}

export function countChanges(rows: readonly DiffRow[]): { readonly added: number; readonly removed: number } {
  const count = (type: DiffRow['type']): number => rows.filter((row) => row.type === type).length
  return { added: count('added'), removed: count('removed') }
}

function leaveOut(lines: readonly string[], head: number, tail: number): readonly DiffPart[] {
  const count = lines.length - head - tail
  // A gap of one line would take as much space as the line.
  if (count <= 1) return show(lines)
  return [...show(lines.slice(0, head)), { type: 'gap', count }, ...show(lines.slice(lines.length - tail))]
}

function show(lines: readonly string[]): readonly DiffPart[] {
  return lines.map((text) => ({ type: 'same', text }))
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

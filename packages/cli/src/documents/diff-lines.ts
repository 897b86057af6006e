import { diffLines as compareLines } from 'diff'

export interface DiffLine {
  readonly mark: ' ' | '+' | '-'
  readonly text: string
}

/** Comparing two long texts with nothing in common takes minutes, just to say that everything changed. */
const PATIENCE_MS = 2000

/** A line diff with up to two lines of context. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [from, to] = [endLine(before), endLine(after)]
  const changes = compareLines(from, to, { timeout: PATIENCE_MS }) ?? replaceAll(from, to)
  return withContext(
    changes.flatMap(({ value, added, removed }) => {
      const mark = added ? '+' : removed ? '-' : ' '
      return toLines(value).map((text): DiffLine => ({ mark, text }))
    }),
  )
}

function replaceAll(from: string, to: string) {
  return [
    { value: from, added: false, removed: true },
    { value: to, added: true, removed: false },
  ]
}

const CONTEXT = 2

function withContext(lines: readonly DiffLine[]): DiffLine[] {
  return lines.filter((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  )
}

/** A missing final line break is not a difference. */
function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

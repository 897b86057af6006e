export interface DiffLine {
  readonly mark: ' ' | '+' | '-'
  readonly text: string
}

/** The shortest way from one text to the other by whole lines, with up to two lines of context. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [from, to] = [toLines(before), toLines(after)]
  const lengths = commonLengths(from, to)
  const lines: DiffLine[] = []
  let [row, column] = [0, 0]
  while (row < from.length || column < to.length) {
    const [left, right] = [from[row], to[column]]
    if (left !== undefined && left === right) {
      lines.push({ mark: ' ', text: left })
      row++
      column++
    } else if (
      right !== undefined &&
      (left === undefined || at(lengths, row, column + 1) > at(lengths, row + 1, column))
    ) {
      lines.push({ mark: '+', text: right })
      column++
    } else if (left !== undefined) {
      lines.push({ mark: '-', text: left })
      row++
    }
  }
  return withContext(lines)
}

const CONTEXT = 2

function withContext(lines: readonly DiffLine[]): DiffLine[] {
  return lines.filter((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  )
}

/** lengths[row][column]: how many lines the rest of both texts have in common, in order. */
function commonLengths(from: readonly string[], to: readonly string[]): number[][] {
  const lengths = Array.from({ length: from.length + 1 }, () =>
    Array.from({ length: to.length + 1 }, () => 0),
  )
  for (let row = from.length - 1; row >= 0; row--) {
    for (let column = to.length - 1; column >= 0; column--) {
      const current = lengths[row]
      if (!current) continue
      current[column] =
        from[row] === to[column]
          ? at(lengths, row + 1, column + 1) + 1
          : Math.max(at(lengths, row + 1, column), at(lengths, row, column + 1))
    }
  }
  return lengths
}

function at(lengths: readonly (readonly number[])[], row: number, column: number): number {
  return lengths[row]?.[column] ?? 0
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

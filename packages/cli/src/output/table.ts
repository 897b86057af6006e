import { stripVTControlCharacters } from 'node:util'

/** Columns padded to their widest cell. Colour takes no room. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell))
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - widthOf(cell))).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length
}

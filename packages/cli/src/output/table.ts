import { widthOf } from './colors.ts'

/** Pads columns to their widest cell, ignoring colours. Each row is one line, whatever its cells contain. */
export function formatTable(table: readonly (readonly string[])[]): string {
  const rows = table.map((row) => row.map((cell) => cell.replaceAll(/\s*\n\s*/g, ' ')))
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell))
  }
  const line = (row: readonly string[]): string =>
    row.map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - widthOf(cell))).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}

import type { Diff, DiffFile } from '@skein/client'
import type { Io } from '../io.ts'
import { cleanText } from '../output/clean-text.ts'
import { formatTable } from '../output/table.ts'

/** Like git's, so that people and their tools can read it. */
export function formatFile({ path, oldPath, change, kind, patch, isOmitted }: DiffFile): string {
  const before = quote(`a/${oldPath || path}`)
  const after = quote(`b/${path}`)
  const head = [`diff --git ${before} ${after}`]
  if (change === 'added') head.push('new file')
  if (change === 'deleted') head.push('deleted file')
  if (change === 'type-changed') head.push('another type of file')
  if (change === 'renamed') head.push(`rename from ${quote(oldPath)}`, `rename to ${quote(path)}`)
  if (kind === 'binary') head.push('Binary file')
  if (isOmitted) head.push('Not shown: the diff is too large')
  if (patch === '') return head.join('\n')
  head.push(
    `--- ${change === 'added' ? '/dev/null' : before}`,
    `+++ ${change === 'deleted' ? '/dev/null' : after}`,
  )
  return `${head.join('\n')}\n${patch.trimEnd()}`
}

/** The sum only if all files are shown. */
export function formatStat(diff: Diff | undefined, files: readonly DiffFile[]): string {
  const rows = files.map(({ path, oldPath, kind, added, removed }) => [
    oldPath === '' ? quote(path) : `${quote(oldPath)} → ${quote(path)}`,
    kind === 'binary' ? 'binary' : `+${added} -${removed}`,
  ])
  const table = rows.length === 0 ? [] : [formatTable(rows)]
  if (!diff) return table.join('\n')
  const { fileCount, added, removed } = diff
  const sum = `${fileCount} ${fileCount === 1 ? 'file' : 'files'} changed, ${added} lines added, ${removed} removed`
  return [...table, sum].join('\n')
}

export function paintDiff(io: Io, diff: string): string {
  return diff
    .split('\n')
    .map((line) => {
      if (/^(diff|index|\+\+\+|---) /.test(line)) return io.paint('bold', line)
      if (line.startsWith('@@')) return io.paint('cyan', line)
      if (line.startsWith('+')) return io.paint('green', line)
      return line.startsWith('-') ? io.paint('red', line) : line
    })
    .join('\n')
}

/** A line break in a name must not look like a line of the diff. */
function quote(name: string): string {
  return /["\\\p{Cc}]/u.test(name) ? JSON.stringify(cleanText(name)) : name
}

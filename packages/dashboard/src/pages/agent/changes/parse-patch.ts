export interface PatchLine {
  readonly type: 'hunk' | 'same' | 'added' | 'removed' | 'note'
  readonly text: string
  /** Line numbers in the file before and after; undefined where it has no such line. */
  readonly before: number | undefined
  readonly after: number | undefined
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** The lines of git's hunks, with their numbers. */
export function parsePatch(patch: string): readonly PatchLine[] {
  const lines: PatchLine[] = []
  let before = 0
  let after = 0
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const text = line.slice(1)
    switch (line.charAt(0)) {
      case '+':
        lines.push({ type: 'added', text, before: undefined, after: after++ })
        break
      case '-':
        lines.push({ type: 'removed', text, before: before++, after: undefined })
        break
      case ' ':
        lines.push({ type: 'same', text, before: before++, after: after++ })
        break
      case '\\':
        lines.push({ type: 'note', text: text.trim(), before: undefined, after: undefined })
        break
      default: {
        const [, from = '0', to = '0'] = HUNK.exec(line) ?? []
        before = Number(from)
        after = Number(to)
        lines.push({ type: 'hunk', text: line, before: undefined, after: undefined })
      }
    }
  }
  return lines
}

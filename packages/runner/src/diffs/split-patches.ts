/** Begins a file. Lines of hunks begin with a space or a sign, and git quotes line breaks in names. */
const HEAD = 'diff --git '
const HUNK = '\n@@ '

/**
 * The hunks of each file, in the order of git's output. Splits at line feeds only: content may have any other
 * character that counts as a line break elsewhere.
 */
export function splitPatches(output: string): string[] {
  const patches: string[] = []
  let from = output.startsWith(HEAD) ? 0 : -1
  while (from >= 0) {
    const next = output.indexOf(`\n${HEAD}`, from)
    const section = output.slice(from, next < 0 ? undefined : next + 1)
    const hunks = section.indexOf(HUNK)
    patches.push(hunks < 0 ? '' : section.slice(hunks + 1))
    from = next < 0 ? -1 : next + 1
  }
  return patches
}

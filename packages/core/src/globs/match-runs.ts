/** Runs of consecutive items, with a gap of any length between two runs. */
export type Runs<Item> = readonly (readonly Item[])[]

/**
 * Whether the runs match a whole sequence of this length. The first run is anchored at the start and the last at the
 * end; the others take the earliest match, which leaves the most room for the rest. It never backtracks: the work is
 * bounded by the length times the number of items.
 */
export function matchRuns<Item>(
  runs: Runs<Item>,
  length: number,
  fits: (item: Item, at: number) => boolean,
): boolean {
  const fitsAt = (run: readonly Item[], start: number): boolean => {
    let at = start
    for (const item of run) if (!fits(item, at++)) return false
    return true
  }
  const first = runs[0] ?? []
  const last = runs.at(-1) ?? []
  if (runs.length <= 1) return first.length === length && fitsAt(first, 0)
  const end = length - last.length
  let position = first.length
  if (position > end || !fitsAt(first, 0) || !fitsAt(last, end)) return false
  for (let index = 1; index < runs.length - 1; index++) {
    const run = runs[index] ?? []
    while (position + run.length <= end && !fitsAt(run, position)) position++
    position += run.length
    if (position > end) return false
  }
  return true
}

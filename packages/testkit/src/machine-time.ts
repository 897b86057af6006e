import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Linux counts stolen time in hundredths of a second, whatever its clock does. */
const STOLEN_UNIT_MS = 10

/**
 * A clock that stands still while the host of a virtual machine runs something else on its processors. On shared
 * machines that was 50 to 98 % of the time for minutes, and what Skein takes cannot be told from it by the wall clock.
 * In milliseconds, from any beginning.
 */
export function machineNow(): number {
  return performance.now() - stolenMs() / availableParallelism()
}

/** Of all processors together. */
function stolenMs(): number {
  try {
    const [total = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1)
    return Number(total.split(/\s+/)[8]) * STOLEN_UNIT_MS
  } catch {
    return 0
  }
}

import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Linux counts stolen time in hundredths of a second, whatever its clock does. */
const STOLEN_UNIT_MS = 10

/**
 * A clock, in milliseconds, that stops while a virtual machine's host runs something else on its CPUs. On shared
 * machines that was 50 to 98 % of the time for minutes, and wall-clock time cannot be attributed to Skein.
 */
export function machineNow(): number {
  return performance.now() - stolenMs() / availableParallelism()
}

/** Sum over all CPUs. */
function stolenMs(): number {
  try {
    const [total = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1)
    return Number(total.split(/\s+/)[8]) * STOLEN_UNIT_MS
  } catch {
    return 0
  }
}

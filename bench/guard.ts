import { OPERATIONS, type OperationName } from './operations.ts'
import type { Spread } from './rounds.ts'

/**
 * The CPU time of the bare engine as a part of Skein's: the median of three runs. Rates would say more about the machine:
 * on a busy one they fall by half. Update it together with docs/performance.md.
 */
const COMMITTED: Readonly<Record<OperationName, number>> = {
  status: 0.88,
  list: 1,
  queue: 0.68,
  spawn: 0.62,
  claim: 0.54,
  complete: 0.55,
}

/** A ratio that lost a third is a regression; less may be noise of a shared machine. */
const SLACK = 2 / 3

/** Operations that have become dearer, with how much. */
export function regressions(measured: (name: OperationName) => Spread): Map<OperationName, string> {
  return new Map(
    OPERATIONS.flatMap((name) => {
      const { median, least, most } = measured(name)
      if (Number.isNaN(median) || median >= COMMITTED[name] * SLACK) return []
      const range = `${median.toFixed(2)} [${least.toFixed(2)}–${most.toFixed(2)}]`
      return [[name, `${name}: the bare engine takes ${range} of its CPU time, and took ${COMMITTED[name]}`]]
    }),
  )
}

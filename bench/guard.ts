import { OPERATIONS, type OperationName } from './operations.ts'
import type { Spread } from './rounds.ts'

/** What the last committed run measured. Update it together with docs/performance.md. */
const COMMITTED: Readonly<Record<OperationName, number>> = {
  status: 0.68,
  list: 0.4,
  queue: 0.39,
  spawn: 0.28,
  claim: 0.26,
  complete: 0.44,
}

/** A ratio that lost a third is a regression; less may be noise of a shared machine. */
const SLACK = 2 / 3

/** Operations that have become slower. */
export function regressions(measured: (name: OperationName) => Spread): string[] {
  return OPERATIONS.flatMap((name) => {
    const { median, least, most } = measured(name)
    if (Number.isNaN(median) || median >= COMMITTED[name] * SLACK) return []
    const range = `${median.toFixed(2)} [${least.toFixed(2)}–${most.toFixed(2)}]`
    return [`${name} has ${range} of the bare rate, and had ${COMMITTED[name].toFixed(2)}`]
  })
}

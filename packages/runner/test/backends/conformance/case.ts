import type { Capabilities } from '../../../src/backends/backend.ts'
import type { Bench } from './bench.ts'

/** One guarantee. */
export interface ConformanceCase {
  readonly name: string
  /** Whether the sandbox can make a difference. */
  readonly isForEveryLevel?: boolean
  /** It is timed, so nothing else may run beside it. */
  readonly isAlone?: boolean
  readonly needs?: (capabilities: Capabilities) => boolean
  readonly run: (bench: Bench) => Promise<void>
}

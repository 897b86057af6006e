import type { Report } from '../crash/report.ts'
import type { Need } from './needs.ts'

/** One thing that operators do, or that happens to them, tried on a whole installation under load. */
export interface Drill {
  readonly summary: string
  readonly needs: readonly Need[]
  /** A mistake that the drill must notice, for `--planted`. */
  readonly planted: string
  run(settings: DrillSettings): Promise<Figures>
}

export interface DrillSettings {
  /** The source tree to test. */
  readonly root: string
  /** For everything that it writes. Deleted afterwards, unless something failed. */
  readonly folder: string
  readonly report: Report
  readonly isPlanted: boolean
  readonly seed: number
  /** The git revision of the previous release; empty for the default. */
  readonly from: string
  readonly print: (line: string) => void
}

/** For the last line. */
export type Figures = Readonly<Record<string, unknown>>

type Status =
  'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'CompileError' | 'RuntimeError' | 'Pending'

/** The part of Stryker's JSON report that is used here. */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>
}

interface Mutant {
  readonly status: Status
  readonly mutatorName: string
  readonly replacement?: string
  readonly location: { readonly start: { readonly line: number } }
}

export interface Score {
  /** Percentage of changes noticed by a test. */
  readonly score: number
  readonly noticed: number
  readonly missed: number
}

const NOTICED: ReadonlySet<Status> = new Set(['Killed', 'Timeout'])
const MISSED: ReadonlySet<Status> = new Set(['Survived', 'NoCoverage'])

export function scoreOf({ files }: MutationReport): Score {
  const mutants = Object.values(files).flatMap((file) => file.mutants)
  const noticed = mutants.filter(({ status }) => NOTICED.has(status)).length
  const missed = mutants.filter(({ status }) => MISSED.has(status)).length
  if (noticed + missed === 0) throw new Error('Nothing was changed: does --only name files?')
  return { score: Math.round((1000 * noticed) / (noticed + missed)) / 10, noticed, missed }
}

export function survivorsOf({ files }: MutationReport): string[] {
  return Object.entries(files).flatMap(([path, { mutants }]) =>
    mutants
      .filter(({ status }) => MISSED.has(status))
      .map(({ location, mutatorName, replacement = '' }) => {
        const text = replacement.replaceAll(/\s+/g, ' ').slice(0, 100)
        return `missed ${path}:${location.start.line} ${mutatorName}: ${text}`
      }),
  )
}

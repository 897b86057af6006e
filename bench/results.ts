import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { OperationName } from './operations.ts'
import type { Spread } from './rounds.ts'

/** One operation with so many agents at rest: medians over the rounds. */
interface OperationResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuMs: number
  readonly barePerSecond: number
  readonly bareCpuMs: number
  readonly ratio: Spread
  readonly cpuRatio: Spread
}

export interface ScaleResult {
  readonly agents: number
  readonly operations: Readonly<Partial<Record<OperationName, OperationResult>>>
}

/** What the last run with `--save` measured, by benchmark. The plots of docs/performance.md are drawn from it. */
export interface Results {
  readonly operations: {
    readonly clients: number
    readonly rounds: number
    readonly seconds: number
    readonly scales: readonly ScaleResult[]
  }
  readonly claims: {
    readonly tenants: readonly { readonly tenants: number; readonly medianMs: number }[]
  }
  readonly waits: {
    readonly points: readonly { readonly clients: number; readonly rssBytes: number }[]
  }
}

const FOLDER = new URL('results/', import.meta.url)

export async function saveResult<Name extends keyof Results>(
  name: Name,
  result: Results[Name],
): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  await writeFile(fileOf(name), `${JSON.stringify(result, rounded, 2)}\n`)
  console.log(`saved bench/results/${name}.json: npm run generate draws the plots`)
}

export async function readResult<Name extends keyof Results>(name: Name): Promise<Results[Name]> {
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- only saveResult writes it
  return JSON.parse(await readFile(fileOf(name), 'utf8')) as Results[Name]
}

function fileOf(name: keyof Results): URL {
  return new URL(`${name}.json`, FOLDER)
}

/** More digits would be noise. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}

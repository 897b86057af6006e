import type { BenchClient } from './http-client.ts'
import { measure, quantile, type Figure } from './measure.ts'
import type { Contender, OperationName } from './operations.ts'

/** A contender with its connections, one for each client. */
export interface Side {
  readonly contender: Contender
  readonly clients: Readonly<Record<'caller' | 'runner', readonly BenchClient[]>>
  /** CPU time of its server and of PostgreSQL so far, in milliseconds. */
  readonly cpu: () => Promise<number>
}

interface Pair {
  readonly skein: Figure
  readonly bare: Figure
}

export type Rounds = Readonly<Record<OperationName, readonly Pair[]>>

export interface RoundOptions {
  readonly rounds: number
  readonly seconds: number
  /** How long each operation warms up: a server runs for weeks, and its code is compiled in the first seconds. */
  readonly warmUpSeconds: number
  /** What was queued has to be claimed and completed too. */
  readonly operations: readonly OperationName[]
  /** Makes operations of Skein dearer by so many requests for a status, to show that it would be noticed. */
  readonly planted?: Readonly<Partial<Record<OperationName, number>>>
}

/** What was queued in a round is claimed and completed in it, so these two go on until nothing is left. */
const DRAINED: ReadonlySet<OperationName> = new Set(['claim', 'complete'])

/**
 * Measures both sides in turns, each operation of one right before or after the same of the other: a shared machine
 * changes its speed within minutes, but hardly within a second. The first round only warms up.
 */
export async function runRounds(skein: Side, bare: Side, options: RoundOptions): Promise<Rounds> {
  const results: Record<OperationName, Pair[]> = {
    status: [],
    list: [],
    queue: [],
    spawn: [],
    claim: [],
    complete: [],
  }
  for (let round = 0; round <= options.rounds; round++) {
    for (const name of options.operations) {
      const seconds = round === 0 ? options.warmUpSeconds : options.seconds
      const ofSkein = () => measureSide(skein, name, seconds, options.planted?.[name])
      const ofBare = () => measureSide(bare, name, seconds)
      const before = round % 2 === 0 ? await ofSkein() : undefined
      const other = await ofBare()
      const pair = { skein: before ?? (await ofSkein()), bare: other }
      if (round > 0) results[name].push(pair)
    }
    for (const { contender } of [skein, bare]) contender.endRound()
  }
  return results
}

function measureSide(
  { contender, clients, cpu }: Side,
  name: OperationName,
  seconds: number,
  extraStatuses = 0,
): Promise<Figure> {
  const besides = async (number: number) => {
    const client = clients.caller[number]
    for (let count = 0; count < extraStatuses; count++)
      if (client) await contender.requests.status()?.(client)
  }
  return measure(contender.requests[name], {
    clients: clients[contender.keyOf(name)],
    ...(!DRAINED.has(name) && { seconds }),
    cpu,
    ...(extraStatuses > 0 && { besides }),
  })
}

/** A median with its range over the rounds. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right)
  return { median: quantile(sorted, 0.5), least: sorted[0] ?? NaN, most: sorted.at(-1) ?? NaN }
}

/** Skein's rate as a part of the bare one, within each round. */
export function ratioOf(pairs: readonly Pair[]): Spread {
  return spreadOf(pairs.map(({ skein, bare }) => skein.perSecond / bare.perSecond))
}

/** The bare CPU time as a part of Skein's, within each round. */
export function cpuRatioOf(pairs: readonly Pair[]): Spread {
  return spreadOf(pairs.map(({ skein, bare }) => bare.cpuMs / skein.cpuMs))
}

/** Of a whole run: the time to claim and to complete it. */
export function runRatio({ claim, complete }: Rounds): Spread {
  return spreadOf(
    claim.map((claimed, round) => {
      const completed = complete[round]
      if (!completed) throw new Error('As many rounds of both')
      const time = (of: 'skein' | 'bare') => 1 / claimed[of].perSecond + 1 / completed[of].perSecond
      return time('bare') / time('skein')
    }),
  )
}

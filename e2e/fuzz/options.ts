import { parseArgs } from 'node:util'

export const PLANTS = ['route', 'tick', 'error'] as const
export type Plant = (typeof PLANTS)[number]

export interface FuzzOptions {
  readonly requests: number
  readonly seeds: readonly number[]
  readonly only: number | undefined
  readonly planted: boolean
  readonly help: boolean
}

export const FUZZ_USAGE = `npm run test:fuzz -- [options]

Malformed, mutated and expensive requests to every route of a real server on a real database. The last line is JSON.

  --requests <n>   how many in all (default 20000)
  --seed <n>       what is sent (default 1)
  --seeds <n>      so many seeds, one after the other, each with its part of the requests (default 1)
  --only <n>       sends the request with this number alone, and shows the answer. Requests use what earlier answers
                   told, so it is not an exact replay: a failure is printed with the bytes that were sent
  --planted        tests the fuzzer: it must notice a route it misses, a tick of 300 ms and a status 500`

export function readOptions(args: string[]): FuzzOptions {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: 'string', default: '20000' },
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '1' },
      only: { type: 'string' },
      planted: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const first = Number(values.seed)
  return {
    requests: Number(values.requests),
    seeds: Array.from({ length: Number(values.seeds) }, (_, index) => first + index),
    only: values.only === undefined ? undefined : Number(values.only),
    planted: values.planted,
    help: values.help,
  }
}

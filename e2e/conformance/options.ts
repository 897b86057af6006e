import { parseArgs } from 'node:util'

export const USAGE = `npm run test:conformance -- [options]

Starts skein dev and asks it over HTTP for everything that its interface promises.

  --only <scenario>,…  only these scenarios
  --quiet              only the rows that fail
  --list               the names of the scenarios
`

export interface Options {
  readonly only: readonly string[] | undefined
  readonly quiet: boolean
  readonly list: boolean
  readonly help: boolean
}

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      quiet: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return { ...values, only: values.only?.split(',') }
}

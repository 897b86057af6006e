import { parseArgs } from 'node:util'

export interface TestOptions<Name extends string> {
  readonly help: boolean
  readonly isPlanted: boolean
  /** Names of planted bugs; empty means all. */
  readonly names: readonly string[]
  readonly numbers: Readonly<Record<Name, number>>
}

/** Reads `--help`, `--planted [name...]`, `--seed`, and further options that are whole numbers, with their defaults. */
export function readTestOptions<Name extends string>(
  args: string[],
  usage: string,
  defaults: Readonly<Record<Name, number>>,
): TestOptions<Name | 'seed'> {
  const numbers: Record<string, number> = { seed: Date.now() % 1_000_000, ...defaults }
  const options: Record<string, { type: 'string' | 'boolean' }> = {
    help: { type: 'boolean' },
    planted: { type: 'boolean' },
  }
  for (const name of Object.keys(numbers)) options[name] = { type: 'string' }
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const isPlanted = values['planted'] === true
  if (positionals.length > 0 && !isPlanted) throw new Error(usage)
  for (const name of Object.keys(numbers)) {
    const text = values[name]
    if (typeof text === 'string') numbers[name] = count(text, usage)
  }
  return {
    help: values['help'] === true,
    isPlanted,
    names: positionals,
    numbers: numbers as Record<Name | 'seed', number>,
  }
}

function count(text: string, usage: string): number {
  const number = Number(text)
  if (text !== '' && Number.isSafeInteger(number) && number >= 0) return number
  throw new Error(`${text} is not a number.\n\n${usage}`)
}

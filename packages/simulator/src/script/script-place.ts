import type { JsonObject } from '../json.ts'

/** For script authors: names the script, the step, and what is allowed there. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError'
}

/** A position in a script, for error messages. */
export class Place {
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  inside(part: string): Place {
    return new Place(`${this.#name}, ${part}`)
  }

  fail(problem: string): never {
    throw new ScriptError(`${this.#name}: ${problem}`)
  }

  refuseOthers(value: JsonObject, allowed: readonly string[]): void {
    const other = Object.keys(value).find((key) => !allowed.includes(key))
    if (other !== undefined) this.fail(`unknown key "${other}"; allowed are ${listed(allowed)}`)
  }

  text(value: JsonObject, key: string): string | undefined {
    const text = value[key]
    if (text === undefined || typeof text === 'string') return text
    return this.fail(`"${key}" must be a string`)
  }

  flag(value: JsonObject, key: string): boolean {
    const flag = value[key] ?? false
    return typeof flag === 'boolean' ? flag : this.fail(`"${key}" must be true or false`)
  }

  count(value: JsonObject, key: string): number | undefined {
    const count = value[key]
    if (count === undefined) return undefined
    if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count
    return this.fail(`"${key}" must be a non-negative integer`)
  }
}

export function listed(keys: readonly string[]): string {
  return keys.map((key) => `"${key}"`).join(', ')
}

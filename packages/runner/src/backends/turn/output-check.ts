import { SchemaProcess } from '@skein/schema-check'

/** Per schema or answer: a pattern can take years on the right text. */
const LIMITS = { cpuMs: 1_000, wallMs: 60_000, heapMib: 256 }

/** Shared by all runs. Its process starts with the first schema. */
const checker = new SchemaProcess(LIMITS)

export function stopOutputChecks(): Promise<void> {
  return checker.close()
}

export type OutputVerdict =
  { readonly isValid: true; readonly output: unknown } | { readonly isValid: false; readonly problem: string }

/** Checks answers against a run's schema. No program is trusted to have done so. */
export class OutputCheck {
  readonly #schema: string

  constructor(schema: Readonly<Record<string, unknown>>) {
    this.#schema = JSON.stringify(schema)
  }

  /** Why the schema cannot be used. The server has usually checked it already. */
  async findProblem(): Promise<string | undefined> {
    const outcome = await checker.findProblem(this.#schema)
    const problem = outcome.kind === 'done' ? outcome.result : 'takes too long to compile'
    return problem && `The output schema ${problem}.`
  }

  async checkValue(output: unknown): Promise<OutputVerdict> {
    const outcome = await checker.findMismatch(this.#schema, JSON.stringify(output))
    const problem =
      outcome.kind === 'done' ? outcome.result : 'Checking it against the schema takes too long.'
    return problem === undefined ? { isValid: true, output } : { isValid: false, problem }
  }

  /** Accepts an answer inside a code fence, which models like to write. */
  async checkText(text: string): Promise<OutputVerdict> {
    let output: unknown
    try {
      output = JSON.parse(withoutFence(text))
    } catch {
      return { isValid: false, problem: text.trim() === '' ? 'There is no answer.' : 'It is not JSON.' }
    }
    return this.checkValue(output)
  }
}

function withoutFence(text: string): string {
  const lines = text.trim().split('\n')
  const isFenced = /^```(json)?\s*$/u.test(lines[0] ?? '') && lines.at(-1)?.trim() === '```'
  return isFenced ? lines.slice(1, -1).join('\n') : text
}

/** The message to the model after an answer that doesn't match. */
export function askAgain(problem: string): string {
  return [
    'Your last answer does not match the required JSON Schema.',
    problem,
    'Give the answer again: only the corrected JSON, with nothing before or after it.',
  ].join('\n')
}

/** For models whose provider doesn't enforce a schema. */
export function askForOutput(schema: Readonly<Record<string, unknown>>): string {
  return [
    'When the work is done, your last message must be one JSON value, with nothing before or after it.',
    'It must match this JSON Schema:',
    JSON.stringify(schema),
  ].join('\n')
}

import { compileOutputSchema } from '@skein/core'
import { isDoneWithin } from './time-limit.ts'

/** A pattern in a schema can take years for the right text. */
const CHECK_MS = 500

/** The server has compiled it before, within bounds; this is for one that has not. */
const COMPILE_MS = 2_000

export type OutputVerdict =
  { readonly isValid: true; readonly output: unknown } | { readonly isValid: false; readonly problem: string }

/** Holds answers against the schema of a run. No program is trusted to have done so. */
export class OutputCheck {
  readonly #findProblem: (output: unknown) => string | undefined

  constructor(schema: Readonly<Record<string, unknown>>) {
    let findProblem: ((output: unknown) => string | undefined) | undefined
    isDoneWithin(COMPILE_MS, () => (findProblem = compileOutputSchema(schema)))
    if (findProblem === undefined) throw new Error('The output schema takes too long to compile.')
    this.#findProblem = findProblem
  }

  checkValue(output: unknown): OutputVerdict {
    const problem = this.#problemOf(output)
    return problem === undefined ? { isValid: true, output } : { isValid: false, problem }
  }

  /** An answer that may stand in a fence, as models like to write it. */
  checkText(text: string): OutputVerdict {
    let output: unknown
    try {
      output = JSON.parse(withoutFence(text))
    } catch {
      return { isValid: false, problem: text.trim() === '' ? 'There is no answer.' : 'It is not JSON.' }
    }
    return this.checkValue(output)
  }

  #problemOf(output: unknown): string | undefined {
    let problem: string | undefined
    const isDone = isDoneWithin(CHECK_MS, () => (problem = this.#findProblem(output)))
    return isDone ? problem : 'It takes too long to hold it against the patterns of the schema.'
  }
}

function withoutFence(text: string): string {
  const lines = text.trim().split('\n')
  const isFenced = /^```(json)?\s*$/u.test(lines[0] ?? '') && lines.at(-1)?.trim() === '```'
  return isFenced ? lines.slice(1, -1).join('\n') : text
}

/** What the model is told after an answer that does not fit. */
export function askAgain(problem: string): string {
  return [
    'Your last answer does not match the JSON Schema that it has to match.',
    problem,
    'Give the answer again: only the corrected JSON, with nothing before or after it.',
  ].join('\n')
}

/** For models that no provider holds to a schema. */
export function askForOutput(schema: Readonly<Record<string, unknown>>): string {
  return [
    'When the work is done, your last message has to be one JSON value, with nothing before or after it.',
    'It has to match this JSON Schema:',
    JSON.stringify(schema),
  ].join('\n')
}

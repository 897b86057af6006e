import type { Answer } from './answers.ts'
import { canonical, isEnvelope, reasonOf, violations } from './shapes.ts'

const SHOWN_LENGTH = 700

export interface Row {
  readonly scenario: string
  readonly name: string
  readonly holds: boolean
}

interface Refusal {
  /** The field a violation must name. */
  readonly field?: string
  readonly reason?: string
}

type AnyAnswer = Answer<object>

/** The results of one scenario: a row for each statement that must hold. */
export class Book {
  readonly rows: Row[] = []
  readonly lines: string[] = []
  readonly #scenario: string

  constructor(scenario: string) {
    this.#scenario = scenario
  }

  row(name: string, condition: boolean | undefined, detail?: unknown): boolean {
    const holds = condition === true
    this.rows.push({ scenario: this.#scenario, name, holds })
    this.lines.push(`${holds ? 'ok  ' : 'FAIL'} ${this.#scenario}: ${name}`)
    if (!holds && detail !== undefined) this.lines.push(`       ${brief(detail)}`)
    return holds
  }

  equal(name: string, actual: unknown, wanted: unknown): boolean {
    const [a, w] = [canonical(actual), canonical(wanted)]
    return this.row(name, a === w, `wanted ${w}; got ${a}`)
  }

  ok(name: string, answer: AnyAnswer): boolean {
    return this.row(name, answer.status === 200, shown(answer))
  }

  error(
    name: string,
    answer: AnyAnswer,
    code: number,
    http: number,
    { field, reason }: Refusal = {},
  ): boolean {
    const { status, json } = answer
    const holds =
      status === http &&
      isEnvelope(json) &&
      json.code === code &&
      (field === undefined || violations(json).some((violation) => violation.field === field)) &&
      (reason === undefined || reasonOf(json) === reason)
    const wanted = [`HTTP ${http} code ${code}`, field && `naming ${field}`, reason]
      .filter(Boolean)
      .join(', ')
    return this.row(name, holds, `wanted ${wanted}; ${shown(answer)}`)
  }

  invalid(name: string, answer: AnyAnswer, refusal?: Refusal): boolean {
    return this.error(name, answer, 3, 400, refusal)
  }

  notFound(name: string, answer: AnyAnswer, refusal?: Refusal): boolean {
    return this.error(name, answer, 5, 404, refusal)
  }

  denied(name: string, answer: AnyAnswer, refusal?: Refusal): boolean {
    return this.error(name, answer, 7, 403, refusal)
  }

  exhausted(name: string, answer: AnyAnswer, refusal?: Refusal): boolean {
    return this.error(name, answer, 8, 429, refusal)
  }

  precondition(name: string, answer: AnyAnswer, refusal?: Refusal): boolean {
    return this.error(name, answer, 9, 400, refusal)
  }

  unauthenticated(name: string, answer: AnyAnswer, refusal?: Refusal): boolean {
    return this.error(name, answer, 16, 401, refusal)
  }
}

export function titleOf({ scenario, name }: Row): string {
  return `${scenario}: ${name}`
}

export function shown({ request, status, text }: Answer<unknown>): string {
  return `${request} → ${status} ${brief(text)}`
}

function brief(detail: unknown): string {
  const text = typeof detail === 'string' ? detail : JSON.stringify(detail)
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
}

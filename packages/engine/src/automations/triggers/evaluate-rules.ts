import { Environment } from '@marcbachmann/cel-js'
import type { TriggerDocument } from '@skein/contract'
import {
  defaultAgentName,
  quoteText,
  toIdentifier,
  toSlug,
  type TextProblem,
  type TextSource,
  type TriggerText,
} from '@skein/core'
import { Liquid } from 'liquidjs'
import type { NoPlan } from './plan.ts'

const MAX_PROBLEM_LENGTH = 300
const LIMITS = { parseLimit: 100_000, renderLimit: 1_000, memoryLimit: 4_000_000 }

/** Those that cannot print anything but what `{{ }}` prints, which is quoted. */
const TAGS = new Set([
  'assign',
  'break',
  'capture',
  'case',
  'comment',
  'continue',
  'for',
  'if',
  'raw',
  'unless',
  '#',
])

export interface EvaluateJob {
  readonly name: string
  readonly trigger: TriggerDocument
  readonly deliveryId: string
  readonly receivedTime: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The texts of a plan. */
export interface Evaluation {
  readonly agent: string
  readonly message?: string
  readonly description?: string
  readonly labels: Readonly<Record<string, string>>
}

/** Printed as it is, because nothing in it can be read as an instruction. */
class Identifier {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** For further filters, after which it is text again. */
  toString(): string {
    return this.text
  }
}

const conditions = new Environment({
  unlistedVariablesAreDyn: false,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxAstNodes: 2_000, maxDepth: 64 },
})
  .registerVariable('body', 'dyn')
  .registerVariable('headers', 'map')
  .registerVariable('delivery', 'map')

/** Without files, and without anything that could print outside text unquoted. */
function createLiquid(print: (value: unknown) => string): Liquid {
  const liquid = new Liquid({
    ...LIMITS,
    templates: {},
    ownPropertyOnly: true,
    strictFilters: true,
    dynamicPartials: false,
    outputEscape: print,
  })
  for (const tag of Object.keys(liquid.tags)) if (!TAGS.has(tag)) delete liquid.tags[tag]
  // The library's own would switch printing off.
  liquid.registerFilter('raw', (value: unknown) => value)
  liquid.registerFilter('slug', (value: unknown) => toSlug(toText(value)))
  liquid.registerFilter('identifier', (value: unknown) => new Identifier(toIdentifier(toText(value))))
  return liquid
}

const names = createLiquid(toText)

function createPrompts(source: TextSource): Liquid {
  return createLiquid((value) => {
    if (value === undefined || value === null || value === '') return ''
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    if (value instanceof Identifier) return value.text
    return quoteText(toText(value), source)
  })
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (value instanceof Identifier) return value.text
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')
}

/** The problems of texts that are about to be written. */
export function checkTexts(texts: readonly TriggerText[]): TextProblem[] {
  return texts.flatMap(({ language, path, text }) => {
    try {
      if (language === 'condition') checkCondition(text)
      else names.parse(text)
      return []
    } catch (error) {
      const what = language === 'condition' ? 'an expression in CEL' : 'a template in Liquid'
      return [{ path, text, problem: `is not ${what}: ${describe(error)}` }]
    }
  })
}

function checkCondition(text: string): void {
  const { valid, error, type } = conditions.check(text)
  if (!valid) throw error ?? new Error('it cannot be checked')
  if (type !== 'bool' && type !== 'dyn') throw new Error(`its value is a ${type}, not a bool`)
}

/** What a trigger makes of a request: texts, or why nothing happens. */
export function evaluate(job: EvaluateJob): Evaluation | NoPlan {
  const parsed = parseBody(job.body)
  if ('problem' in parsed) return refused(`The body is not JSON: ${parsed.problem}`)
  const scope = {
    body: parsed.body,
    headers: job.headers,
    delivery: { id: job.deliveryId, time: job.receivedTime, trigger: job.name },
  }
  const { condition } = job.trigger
  try {
    const verdict: unknown = condition === '' || conditions.evaluate(condition, scope)
    if (verdict === false) return { outcome: 'IGNORED', reason: 'The condition is false.' }
    if (verdict !== true) return refused('The condition is neither true nor false.')
  } catch (error) {
    return refused(`The condition cannot be evaluated: ${describe(error)}`)
  }
  try {
    return render(job, scope)
  } catch (error) {
    return refused(`A template cannot be rendered: ${describe(error)}`)
  }
}

function render({ name, trigger, deliveryId }: EvaluateJob, scope: object): Evaluation {
  const { spawn, send } = trigger
  const prompts = createPrompts({ trigger: name, deliveryId })
  const nameOf = (template: string) => String(names.parseAndRenderSync(template, scope)).trim()
  const promptOf = (template: string) => String(prompts.parseAndRenderSync(template, scope))
  const template = send ? send.agent : (spawn?.agent ?? '')
  return {
    agent: template === '' ? defaultAgentName(name, deliveryId) : nameOf(template),
    ...(send && { message: promptOf(send.message) }),
    ...(spawn && { description: promptOf(spawn.description) }),
    labels: Object.fromEntries(
      Object.entries(spawn?.labels ?? {}).map(([label, value]) => [label, nameOf(value)]),
    ),
  }
}

function parseBody(bytes: Uint8Array): { readonly body: unknown } | { readonly problem: string } {
  if (bytes.length === 0) return { body: {} }
  try {
    return { body: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch (error) {
    return {
      problem: error instanceof SyntaxError ? 'choose JSON where requests are set up.' : 'it is not UTF-8.',
    }
  }
}

function refused(reason: string): NoPlan {
  return { outcome: 'REFUSED', reason: reason.slice(0, MAX_PROBLEM_LENGTH) }
}

/** Deep nesting causes a RangeError. */
function describe(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply, or too large.'
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.slice(0, MAX_PROBLEM_LENGTH)
}

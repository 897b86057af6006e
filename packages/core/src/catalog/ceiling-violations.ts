import {
  NETWORKS,
  parseDuration,
  SANDBOXES,
  type FieldViolation,
  type Kind,
  type ModelPrice,
} from '@skein/contract'
import { matchesModel } from '@skein/contract/facts'
import type { Ceiling } from './ceiling.ts'
import { isDocument, withDefaults, type Document } from './document.ts'
import { effectiveNetwork, effectiveSandbox } from './effective.ts'

/**
 * Finds values that would have no effect because they exceed the ceiling. Unchanged and default values are allowed,
 * otherwise lowering a ceiling would make every later write fail.
 */
export function ceilingViolations(
  kind: Kind,
  document: Document,
  current: Document | undefined,
  ceiling: Ceiling,
): FieldViolation[] {
  const defaults = withDefaults(kind, {})
  const isChosen = ({ field }: FieldViolation): boolean => {
    const [name = ''] = field.split(/[.[]/)
    const value = JSON.stringify(document[name])
    return value !== JSON.stringify(defaults[name]) && value !== JSON.stringify(current?.[name])
  }
  return [...(RULES[kind.kind]?.(document, ceiling) ?? [])].filter(isChosen)
}

const RULES: Readonly<Record<string, (document: Document, ceiling: Ceiling) => Iterable<FieldViolation>>> = {
  *quota(document, { quota }) {
    for (const [field, most] of Object.entries(quota)) {
      if (Number(document[field]) > most) yield above(field, `at most ${most}`)
    }
  },
  *environment(document, ceiling) {
    const isPermitted = NETWORKS.some(
      (network) => network === document['network'] && network === effectiveNetwork({ network }, ceiling),
    )
    if (isPermitted) return
    yield above(
      'network',
      `one of ${['none', ...ceiling.networks.filter((each) => each !== 'none')].join(', ')}`,
    )
  },
  *pool(document, ceiling) {
    const isPermitted = SANDBOXES.some(
      (sandbox) => sandbox === document['sandbox'] && sandbox === effectiveSandbox({ sandbox }, ceiling),
    )
    if (!isPermitted) yield above('sandbox', 'bubblewrap')
  },
  *'vm-profile'(document, { machine }) {
    for (const [field, most] of Object.entries(machine)) {
      const wanted = toNumber(document[field])
      const isAbove = toNumber(most) > 0 && (wanted === 0 || wanted > toNumber(most))
      if (isAbove) yield above(field, `at most ${most}, and not without a limit`)
    }
  },
  *backend({ prices }, ceiling) {
    for (const [index, price] of (Array.isArray(prices) ? prices : []).entries()) {
      if (isDocument(price)) yield* tooCheap(`prices[${index}]`, price, ceiling.prices)
    }
  },
}

/** Skips patterns that no ceiling price covers completely: the ceiling still applies to each model they match. */
function* tooCheap(
  place: string,
  price: Document,
  leastPrices: readonly ModelPrice[],
): Generator<FieldViolation> {
  const least = leastPrices.find(({ model }) => matchesModel(model, String(price['model'])))
  for (const field of ['input', 'cachedInput', 'cacheWrite', 'output'] as const) {
    if (least && Number(price[field]) < least[field])
      yield above(`${place}.${field}`, `at least ${least[field]}`)
  }
}

function above(field: string, permitted: string): FieldViolation {
  return { field, description: `the tenant's ceiling permits ${permitted}; an operator can change it` }
}

/** Sizes are numbers, durations are strings. */
function toNumber(value: unknown): number {
  return typeof value === 'string' ? (parseDuration(value) ?? 0) : Number(value ?? 0)
}

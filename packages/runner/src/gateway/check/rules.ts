import type { ProviderTool } from '@skein/contract'
import { isRecord } from '../../json.ts'
import type { ModelPolicy } from './policy.ts'

interface Checking {
  readonly policy: ModelPolicy
  /** The provider tools the request would use. */
  readonly uses: Set<ProviderTool>
}

/** A problem in a request, and its position. */
interface Problem {
  readonly at: string
  readonly message: string
}

/** Validates a value. Anything no rule covers is rejected: a new field might give access to something. */
export type Rule = (value: unknown, checking: Checking) => Problem | undefined

/** For what the provider only passes to the model, such as a tool's input. */
export const anything: Rule = () => undefined

export const scalar: Rule = (value) =>
  typeof value === 'object' ? problem('must be a single value') : undefined

export const text: Rule = (value) => (typeof value === 'string' ? undefined : problem('must be a string'))

export function oneOf(...allowed: readonly unknown[]): Rule {
  return (value) => (allowed.includes(value) ? undefined : problem(`${show(value)} is not allowed`))
}

/** Null means absent. */
export function object(fields: Readonly<Record<string, Rule>>): Rule {
  return (value, checking) => {
    if (!isRecord(value)) return problem('must be an object')
    for (const [name, part] of Object.entries(value)) {
      const rule = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (!rule) return { at: `.${cut(name)}`, message: 'is not an allowed field' }
      const found = part === null ? undefined : rule(part, checking)
      if (found) return { ...found, at: `.${cut(name)}${found.at}` }
    }
    return undefined
  }
}

/** Any fields with scalar values. */
export const flat: Rule = (value, checking) => {
  if (!isRecord(value)) return problem('must be an object')
  return object(Object.fromEntries(Object.keys(value).map((name) => [name, scalar])))(value, checking)
}

export function list(rule: Rule): Rule {
  return (value, checking) => {
    if (!Array.isArray(value)) return problem('must be a list')
    for (const [index, part] of value.entries()) {
      const found = rule(part, checking)
      if (found) return { ...found, at: `[${index}]${found.at}` }
    }
    return undefined
  }
}

/** A string, or what the rule accepts. */
export function textOr(rule: Rule): Rule {
  return (value, checking) => (typeof value === 'string' ? undefined : rule(value, checking))
}

/** An object with a type, each with its own rule. A version suffix of the type is ignored. */
export function tagged(what: string, rules: Readonly<Record<string, Rule>>, untyped = ''): Rule {
  return (value, checking) => {
    if (!isRecord(value)) return problem('must be an object')
    const type = value['type'] ?? untyped
    const name = typeof type === 'string' ? type.replace(/_(?:\d{8}|\d{4}_\d{2}_\d{2})$/, '') : ''
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (!rule) return { at: '.type', message: `${show(type)} is not an allowed kind of ${what}` }
    return rule(value, checking)
  }
}

/** Only if the environment has an open network and names this tool. */
export function needs(tool: ProviderTool, rule: Rule): Rule {
  return (value, checking) => {
    if (!checking.policy.providerTools.includes(tool)) return problem(`needs "${tool}", ${WHY_NOT}`)
    checking.uses.add(tool)
    return rule(value, checking)
  }
}

const WHY_NOT =
  'which this agent’s environment does not allow, because it makes requests from the provider’s network'

function problem(message: string): Problem {
  return { at: '', message }
}

/** For the agent: doesn't repeat all of its input. */
function show(value: unknown): string {
  return `"${cut(JSON.stringify(value)?.replaceAll('"', '') ?? '')}"`
}

function cut(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name
}

import { isObject, parseJson, type JsonObject } from '../json.ts'
import { ScriptError } from './script-place.ts'
import { quoteWord } from '../shell.ts'

/** The values a script may refer to. */
export interface TemplateValues {
  /** What the person asked for. */
  readonly prompt: string
  /** The text of the last tool result. */
  readonly result: string
  /** The last result of each tool, by name. */
  readonly results: Readonly<Record<string, string>>
  /** In a call that is made for each item of a list. */
  readonly item?: unknown
}

/** `${result}`, `${result.tasks.0.id ?? none}`, `${prompt|line|quoted}`. Any other `${…}` is left to the shell. */
const PLACEHOLDER =
  /\$\{(?<root>prompt|results?|item)(?<path>(?:\.[\w-]+|\[\d+\])*)\s*(?:\?\?(?<otherwise>[^}|]*))?(?<filters>(?:\|\w+)*)\}/gu

const FILTERS: Readonly<Record<string, (text: string) => string>> = {
  quoted: quoteWord,
  /** The first line, short enough for a title. */
  line: (text) => (text.split('\n', 1)[0] ?? '').trim().slice(0, 72),
}

/** Fills in all texts inside a value. A text that is only a placeholder keeps the value's type. */
export function fillTemplate(value: unknown, values: TemplateValues): unknown {
  if (typeof value === 'string') {
    const [whole] = value.matchAll(PLACEHOLDER)
    return whole?.[0] === value && whole.groups ? resolve(whole.groups, values) : fillText(value, values)
  }
  if (Array.isArray(value)) return value.map((item) => fillTemplate(item, values))
  return isObject(value) ? fillObject(value, values) : value
}

export function fillObject(value: JsonObject, values: TemplateValues): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillTemplate(item, values)]))
}

export function fillText(text: string, values: TemplateValues): string {
  return text.replaceAll(PLACEHOLDER, (...match) => {
    const groups: unknown = match.at(-1)
    return isObject(groups) ? toText(resolve(groups, values)) : ''
  })
}

function resolve(groups: JsonObject, values: TemplateValues): unknown {
  const { root, path, otherwise, filters } = groups
  const keys = [...String(path).matchAll(/[\w-]+/gu)].map(([key]) => key)
  let value = lookUp(String(root), keys, values)
  if (value === undefined) {
    if (typeof otherwise !== 'string') {
      throw new ScriptError(
        `\${${String(root)}${String(path)}} was not found; the last result was: ${values.result}`,
      )
    }
    const text = otherwise.trim()
    value = parseJson(text) ?? text
  }
  for (const name of String(filters).split('|').filter(Boolean)) {
    const filter = FILTERS[name]
    if (!filter)
      throw new ScriptError(`unknown filter "${name}"; allowed are ${Object.keys(FILTERS).join(', ')}`)
    value = filter(toText(value))
  }
  return value
}

function lookUp(root: string, keys: readonly string[], values: TemplateValues): unknown {
  switch (root) {
    case 'item':
      return follow(values.item, keys)
    case 'results': {
      const [tool = '', ...rest] = keys
      return Object.hasOwn(values.results, tool) ? followText(values.results[tool], rest) : undefined
    }
    default:
      return followText(root === 'prompt' ? values.prompt : values.result, keys)
  }
}

/** The text itself, or a part of it if it is JSON. */
function followText(text: string | undefined, keys: readonly string[]): unknown {
  return text === undefined || keys.length === 0 ? text : follow(parseJson(text), keys)
}

function follow(value: unknown, keys: readonly string[]): unknown {
  let current = value
  for (const key of keys) {
    if (Array.isArray(current)) current = current[Number(key)]
    else if (isObject(current) && Object.hasOwn(current, key)) current = current[key]
    else return undefined
  }
  return current
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

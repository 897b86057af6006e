import type { Random } from '@skein/testkit'
import { isObject, type Json } from './hostile-json.ts'

/** Well-formed input that is meant to take long: to match, compile, traverse or compare. */

const list = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(',')

const texts = (count: number, text: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => text(index))

/** A salt, so that no verdict is cached. */
const SCHEMAS: readonly ((salt: number) => string)[] = [
  (salt) => `{"patternProperties":{${list(100, (index) => `"^(a+)+${salt}${index}$":{"format":"email"}`)}}}`,
  (salt) => `{"patternProperties":{${list(2_500, (index) => `"^a${salt}${index}":{}`)}}}`,
  (salt) => `{"$comment":"${salt}","dependentRequired":{"a":[${list(4_900, (index) => `"r${index}"`)}]}}`,
  (salt) =>
    `{"$comment":"${salt}","properties":{${list(450, (index) => `"p${index}":{"uniqueItems":true,"contains":true}`)}}}`,
  (salt) =>
    `{"$comment":"${salt}","$defs":{${list(400, (index) => `"d${index}":{"$ref":"#/$defs/d${(index + 1) % 400}"}`)}},"$ref":"#/$defs/d0"}`,
  () => `${'{"not":'.repeat(5_000)}{}${'}'.repeat(5_000)}`,
]

const GLOBS = [
  '+(*)+(*)+(*)+(*)b',
  `${'*a'.repeat(120)}b`,
  '{a,b}'.repeat(50),
  '**/'.repeat(80),
  '['.repeat(250),
]
const SELECTORS = [`a=${' '.repeat(2_000)}x`, 'a=b,'.repeat(1_000), `a in (${'b,'.repeat(1_900)}b)`]
const PATTERNS = [`${'a'.repeat(200)}!`, '*'.repeat(500), '(a+)+'.repeat(100), 'a|'.repeat(1_000)]

const linkedTasks = (): Json =>
  texts(300, (index) => `k${index}`).map((id, at) => ({
    id,
    subject: id,
    blocks: texts(300 - at - 1, (index) => `k${at + index + 1}`),
  }))

const BY_FIELD: Readonly<Record<string, (random: Random) => Json>> = {
  outputSchema: (random) => random.pick(SCHEMAS)(random.below(1e9)),
  labelSelector: (random) => random.pick(SELECTORS),
  pattern: (random) => random.pick(GLOBS),
  tasks: (random) =>
    random.chance(0.5)
      ? linkedTasks()
      : texts(500, (index) => `T${index}`).map((subject) => ({
          subject,
          activation: { filesModified: { pattern: random.pick(GLOBS) } },
        })),
  labels: () => Object.fromEntries(texts(20_000, (index) => `label${index}`).map((name) => [name, 'x'])),
  models: (random) => texts(60, () => random.pick(PATTERNS)),
  model: (random) => random.pick(PATTERNS),
  agent: () => texts(20_000, () => 'a'),
  filesModified: () => texts(5_000, (index) => `src/${'a/'.repeat(20)}${index}.ts`),
}

/** Adds an expensive value for one of the fields, whether the body had it or not. */
export function makeExpensive(random: Random, body: Json, fields: readonly string[]): Json {
  const known = fields.filter((field) => Object.hasOwn(BY_FIELD, field))
  const field = random.pick(known.length > 0 ? known : ['tasks'])
  const value = BY_FIELD[field]?.(random) ?? null
  return isObject(body) ? { ...body, [field]: value } : value
}

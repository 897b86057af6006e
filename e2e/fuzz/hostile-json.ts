import type { Random } from '@skein/testkit'

/** JSON that JSON.stringify would never write. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Json =
  RawJson | string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

export function toText(value: Json): string {
  if (value instanceof RawJson) return value.text
  if (isList(value)) return `[${value.map(toText).join(',')}]`
  if (isObject(value)) {
    const fields = Object.entries(value).map(([key, field]) => `${JSON.stringify(key)}:${toText(field)}`)
    return `{${fields.join(',')}}`
  }
  return JSON.stringify(value)
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

export function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value) && !(value instanceof RawJson)
}

/** An array or object nested deeper than a recursive reader's stack. */
export function deepNesting(random: Random, depth: number): RawJson {
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"__proto__":', '}'],
    ['[{"agentId":', '}]'],
  ] as const)
  return new RawJson(open.repeat(depth) + '1' + (random.chance(0.9) ? close.repeat(depth) : ''))
}

// prettier-ignore
const NUMBERS = [
  '0', '-0', '-1', '1.5', '1e3', '1E400', '-1e999', '9007199254740993', '9223372036854775807',
  '9223372036854775808', '-9223372036854775809', '123456789012345678901234567890', '0.1e-400', '2147483648',
]

// prettier-ignore
const TEXTS = [
  '', ' ', '0', '-1', '1e3', '00', '0x10', 'NaN', 'null', 'true', '*', '../..', '%00', 'a\nb', '\u202e', '💥',
  "'; drop table resource; --", '${7*7}', '{{7*7}}', '<script>', '\\', '"', '2026-02-30T00:00:00Z',
  '0000-00-00T00:00:00Z', '9999-12-31T23:59:59.999999999+23:59', '1e9s', '-1s', '315576000000s',
  '999999999999.999999999s', 'PROVIDER_UNSPECIFIED', 'PHASE_BOGUS', '__proto__', 'constructor',
  '9223372036854775807', '9223372036854775808', '18446744073709551616',
]

// prettier-ignore
const RAW = [
  '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udfff\\ud800"', '"\\uD83D"', '{"__proto__":{"polluted":1}}',
  '{"\\u005f_proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}',
  '{"\\u0063onstructor":{"prototype":{"polluted":1}}}', '{"prototype":{"polluted":1}}', '{"a":1,"a":2}', 'undefined',
  'NaN', 'Infinity', '01', '+1', '.5', '1.', "'x'", '[1,]', '{"a":1,}', '/*c*/1', '"\\x41"', '"\t"', '',
]

// prettier-ignore
const HOSTILE_KEYS = [
  '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then', '', ' ', '0', '-1',
  'length', 'a.b', 'a/b', 'a~b', '$ref', '💥', 'x'.repeat(300), 'toJSON', 'isReplay', '@type', 'ref', 'tenant',
]

/** A value unexpected at its position. */
export function hostileValue(random: Random): Json {
  return random.weighted<() => Json>([
    [4, () => random.pick([null, true, false, [], {}, [[]], [null], [{}]])],
    [5, () => new RawJson(random.pick(NUMBERS))],
    [6, () => random.pick(TEXTS)],
    [4, () => new RawJson(random.pick(RAW))],
    [2, () => ({ [random.pick(HOSTILE_KEYS)]: hostileValue(random) })],
    [2, () => Array.from({ length: random.below(5) }, () => hostileValue(random))],
    [1, () => random.pick(['x', '💥', 'é']).repeat(random.pick([64, 256, 1025, 4097, 66_000]))],
    [0.1, () => Array.from({ length: random.pick([101, 1001, 25_000]) }, (_, index) => `p${index}`)],
    [
      0.1,
      () =>
        Object.fromEntries(
          Array.from({ length: random.pick([65, 257, 22_000]) }, (_, index) => [`K${index}`, '']),
        ),
    ],
    [0.25, () => deepNesting(random, random.pick([50, 1_000, 6_000, 19_000, 100_000]))],
  ])()
}

/** The value with one node, anywhere, removed, replaced, added or wrapped. */
export function mutate(random: Random, value: Json): Json {
  if (isObject(value) && random.chance(0.75)) return mutateObject(random, value)
  if (isList(value) && value.length > 0 && random.chance(0.7)) {
    const at = random.below(value.length)
    return value.map((item, index) => (index === at ? mutate(random, item) : item))
  }
  return random.weighted<() => Json>([
    [8, () => hostileValue(random)],
    [1, () => [value]],
    [1, () => ({ value })],
    [1, () => toText(value)],
    [1, () => (isList(value) ? [...value, ...value] : [value, value])],
  ])()
}

function mutateObject(random: Random, value: { readonly [key: string]: Json }): Json {
  const keys = Object.keys(value)
  const key = keys.length > 0 ? random.pick(keys) : ''
  const { [key]: field, ...others } = value
  return random.weighted<() => Json>([
    [6, () => ({ ...value, [key]: mutate(random, field ?? null) })],
    [2, () => others],
    [2, () => ({ ...value, [random.pick(HOSTILE_KEYS)]: hostileValue(random) })],
    [
      1,
      () => ({
        ...others,
        [random.pick([key.toUpperCase(), `${key}s`, key.slice(1), ` ${key}`])]: field ?? null,
      }),
    ],
  ])()
}

/** Damage no JSON writer would do, to the text and its bytes. */
export function damage(random: Random, text: string): Buffer {
  const bytes = Buffer.from(text)
  const at = random.below(bytes.length + 1)
  const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)]
  const between = (middle: Uint8Array) => Buffer.concat([head, middle, tail])
  return random.weighted<() => Buffer>([
    [4, () => head],
    [3, () => between(random.bytes(1 + random.below(4)))],
    [3, () => between(Buffer.from([0xc3, 0x28]))],
    [2, () => between(Buffer.from([0xed, 0xa0, 0x80]))],
    [1, () => between(Buffer.from([0]))],
    [1, () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])],
    [1, () => Buffer.from(text, 'utf16le')],
    [1, () => Buffer.concat([bytes, bytes])],
    [2, () => Buffer.from(text.replace('{', '{"a":1,"a":2,'))],
    [2, () => Buffer.from(text.replace('{', '{"__proto__":{"polluted":1},'))],
    [2, () => Buffer.from(text.replace('{', '{"\\u005f\\u005fproto__":{"polluted":1},'))],
    [1, () => random.bytes(random.below(64))],
    [0.5, () => Buffer.from(' '.repeat(random.pick([1, 1_048_577, 4_194_305])) + text)],
  ])()
}

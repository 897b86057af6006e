import { findKind, KINDS, type Operation } from '@skein/contract'
import { damage, deepNesting, hostileValue, mutate, toText, type Json } from './hostile-json.ts'
import { makeExpensive } from './expensive.ts'
import { hostileHeaders } from './headers.ts'
import type { Known } from './known.ts'
import { hostileQuery } from './query.ts'
import type { Random } from '@skein/testkit'

const CALLERS = [
  'admin',
  'operator',
  'member',
  'viewer',
  'runner',
  'guest',
  'directory',
  'stranger',
  'forger',
  'nobody',
] as const
export type CallerName = (typeof CALLERS)[number]

export interface FuzzRequest {
  readonly caller: CallerName
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

/** What requests are made from. */
export interface Material {
  readonly operations: readonly Operation[]
  /** The server's other paths, such as `/docs`. */
  readonly otherPaths: readonly string[]
  readonly known: Known
}

const EXPENSIVE_SHARE = 0.01

/** The first requests are correct and reach every route. From then on they get worse. */
export function makeRequest(random: Random, index: number, material: Material): FuzzRequest {
  const first = material.operations[index]
  if (first) return plainRequest(random, first, material)
  const otherPath = material.otherPaths[index - material.operations.length]
  if (otherPath !== undefined)
    return { caller: 'admin', method: 'GET', url: otherPath, headers: {}, body: undefined }
  return hostileRequest(random, material)
}

function plainRequest(random: Random, operation: Operation, { known }: Material): FuzzRequest {
  const { body, example, method, path } = operation
  const text = body && toText(known.fill(random, asJson(example.request ?? {})))
  return {
    caller: rightCaller(operation),
    method,
    url: path.replaceAll('{ref.kind}', 'persona').replaceAll(/\{[^}]+\}/g, 'default'),
    headers: body ? { 'content-type': 'application/json' } : {},
    body: text === undefined ? undefined : Buffer.from(text),
  }
}

function rightCaller({ permission }: Operation): CallerName {
  if (permission === 'run.execute') return 'runner'
  if (permission === 'people.provision') return 'directory'
  return permission === 'share.read' ? 'guest' : 'admin'
}

function hostileRequest(random: Random, material: Material): FuzzRequest {
  const { operations, otherPaths } = material
  const writeOperation = operations.find(({ id }) => id === 'writeResource')
  const operation = random.chance(0.3) && writeOperation ? writeOperation : random.pick(operations)
  const caller = random.weighted<CallerName>([
    [12, rightCaller(operation)],
    [5, 'operator'],
    [2, 'stranger'],
    ...CALLERS.map((name): [number, CallerName] => [0.6, name]),
  ])
  const body = makeBody(random, operation, material.known)
  const path = random.chance(0.02) ? random.pick(otherPaths) : makePath(random, operation)
  return {
    caller,
    method: random.chance(0.96) ? operation.method : random.pick(METHODS),
    url: path + makeQuery(random, operation),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(random.chance(0.15) && hostileHeaders(random)),
    },
    body,
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE']

/** Few names, so that requests hit the same resources. Never those of the fuzzer's own tokens. */
const NAMES = ['default', 'f0', 'f1', 'f2', 'f3', 'f4', 'f5', 'a', 'b', 'shop']

// prettier-ignore
const HOSTILE_SEGMENTS = [
  '%', '%zz', '%00', '%2e%2e', '..', '%2F', '%ff', '%c3%28', '%ed%a0%80', '%F0%9F%92%A5', '__proto__', 'constructor',
  'toString', 'A', '-a', 'a-', 'a'.repeat(63), 'a'.repeat(64), 'a'.repeat(257), 'a'.repeat(8_000), '*', ':ref', '{ref.name}',
  ';', '@', '+', 'a b', '%20', '%0d%0a', 'null', 'undefined', '0', '', 'history', '%252e',
]

function makePath(random: Random, operation: Operation): string {
  if (random.chance(0.04)) return unknownPath(random)
  const path = operation.path.replaceAll(/\{([^}]+)\}/g, (_match, name: string) => {
    if (random.chance(0.04)) return random.pick(HOSTILE_SEGMENTS)
    return random.pick(name === 'ref.kind' ? KINDS.map(({ kind }) => kind) : NAMES)
  })
  return random.chance(0.02) ? path + random.pick(['/', '//', '/%2e', '/x', '%00', '#x', ';a=1']) : path
}

function unknownPath(random: Random): string {
  const length = random.pick([1, 2, 3, 5, 40])
  const known = ['v1', 'v2', 'catalog', 'agent', 'agents', 'healthz', 'readyz', 'metrics', 'whoami', 'audit']
  const segments = Array.from({ length }, () => random.pick(random.chance(0.6) ? known : HOSTILE_SEGMENTS))
  return `/${segments.join('/')}`
}

function makeQuery(random: Random, operation: Operation): string {
  if (random.chance(operation.query ? 0.5 : 0.97)) return ''
  return hostileQuery(random, operation)
}

function makeBody(random: Random, operation: Operation, known: Known): Buffer | undefined {
  if (!operation.body) return random.chance(0.92) ? undefined : Buffer.from(toText(hostileValue(random)))
  if (random.chance(0.01)) return undefined
  const isWrite = operation.id === 'writeResource'
  let value: Json = isWrite ? writeBody(random) : known.fill(random, asJson(operation.example.request ?? {}))
  if (!isWrite && random.chance(EXPENSIVE_SHARE))
    return Buffer.from(toText(makeExpensive(random, value, Object.keys(operation.body.properties))))
  const mutations = random.weighted([
    [isWrite ? 12 : 2, 0],
    [6, 1],
    [3, 2],
    [1, 5],
  ])
  for (let count = 0; count < mutations; count++) value = mutate(random, value)
  if (random.chance(0.002)) value = deepNesting(random, 100_000)
  const text = toText(value)
  return random.chance(0.12) ? damage(random, text) : Buffer.from(text)
}

/** A well-formed write with a malformed document, for a kind that may differ from the path's. */
function writeBody(random: Random): Json {
  return {
    payload: makePayload(random),
    ...(random.chance(0.4) && { updateMask: makeMask(random) }),
    ...(random.chance(0.5) && { justification: random.pick(['because', '', ' ', 'x'.repeat(5_000)]) }),
    ...(random.chance(0.3) && {
      ifGenerationMatch: random.pick(['0', '1', '7', '9223372036854775807', '-1', 3]),
    }),
    ...(random.chance(0.1) && { ref: { tenant: { org: random.pick(['acme', 'other', '', 'nobody']) } } }),
  }
}

function makePayload(random: Random): string {
  const kind = random.pick(KINDS)
  let document: Json = asJson(random.chance(0.9) ? kind.example : {})
  if (random.chance(EXPENSIVE_SHARE))
    document = makeExpensive(random, document, Object.keys(kind.schema.properties))
  const mutations = random.pick([0, 1, 1, 2, 3, 6])
  for (let count = 0; count < mutations; count++) document = mutate(random, document)
  const text = toText(document)
  const bytes = random.chance(0.15) ? damage(random, text) : Buffer.from(text)
  const payload = bytes.toString(random.chance(0.1) ? 'base64url' : 'base64')
  return random.chance(0.05)
    ? payload.slice(random.below(4)) + random.pick(['', '=', '====', ' ', '*'])
    : payload
}

function makeMask(random: Random): string {
  const kind = findKind(random.pick(KINDS).kind)
  const fields = [
    ...Object.keys(kind?.schema.properties ?? {}),
    'build.name',
    'variables.A',
    'secrets.__proto__',
  ]
  const odd = [
    '*',
    '',
    '.',
    '..',
    'a..b',
    '__proto__',
    'constructor.prototype',
    'metadata.name',
    'x'.repeat(200),
  ]
  const paths = Array.from({ length: random.below(6) }, () => random.pick(random.chance(0.8) ? fields : odd))
  return random.chance(0.02)
    ? 'a.'.repeat(8_000)
    : paths.join(random.chance(0.95) ? ',' : random.pick([', ', ';', ',,']))
}

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json

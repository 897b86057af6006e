/**
 * `npm run test:fuzz -- --requests 100000 --seed 1`: malformed and mutated requests to every route of a real server
 * on a real database. Each request depends only on the seed and its number, so `--only <number>` sends one again.
 */
import { parseArgs } from 'node:util'
import { OPERATIONS, type Operation } from '@skein/contract'
import { problemWith, type Answer } from './fuzz/check.ts'
import { Random } from '@skein/testkit'
import { brokenBytes, sendBytes, wholeBytes } from './fuzz/raw-http.ts'
import { makeRequest, type FuzzRequest } from './fuzz/requests.ts'
import { startTarget } from './fuzz/target.ts'

const RAW_SHARE = 0.02
const CONCURRENCY = 16
const MAX_SHOWN = 20
const HEALTH_EVERY = 500
const HANG_UP_MS = 250

/** Operations that answer only when something happens: sent over a socket, so that we can hang up. */
const HELD_PATHS: ReadonlySet<string> = new Set(OPERATIONS.filter(isHeldOpen).map(({ path }) => path))

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})
const seed = Number(values.seed)
const only = values.only === undefined ? undefined : Number(values.only)
const total = only === undefined ? Number(values.requests) : 1

const target = await startTarget()
const startedAt = performance.now()
const statuses = new Map<string, number>()
let failed = 0
let slowestMs = 0
let next = 0

await Promise.all(Array.from({ length: CONCURRENCY }, work))
if (!(await roundTrips())) fail('after everything', 'a valid document no longer comes back as it was written')
await target.close()

for (const line of target.faults.slice(0, MAX_SHOWN)) console.log(line.slice(0, 2_000))
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
console.log(`seed ${seed}: ${total} requests in ${seconds} s, the slowest ${slowestMs.toFixed(0)} ms`)
console.log(
  [...statuses.keys()]
    .toSorted()
    .map((status) => `${status}: ${statuses.get(status)}`)
    .join(', '),
)
console.log(`${total - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

async function work(): Promise<void> {
  while (next < total) {
    const index = only ?? next
    next += 1
    await send(index)
    if (index % HEALTH_EVERY === 0 && !(await isHealthy()))
      fail(`before request ${index}`, 'the server is not healthy')
  }
}

async function send(index: number): Promise<void> {
  const random = new Random(seed, index)
  const request = makeRequest(random)
  const key = target.keys[request.caller]
  const isBroken = random.chance(RAW_SHARE) || request.url.startsWith('//')
  const isHeld = HELD_PATHS.has(pathOf(request.url))
  const bytes = isBroken ? brokenBytes(random, request, key) : wholeBytes(request, key)
  try {
    if (isHeld) await overSocket('held', request, bytes, HANG_UP_MS)
    else if (isBroken) await overSocket('raw', request, bytes)
    else await injected(request, key)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    const raw = `printf %s ${bytes.subarray(0, 20_000).toString('base64')} | base64 -d | nc 127.0.0.1 $PORT`
    fail(`request ${index} by ${request.caller}`, problem, isBroken || isHeld ? raw : snippetOf(request))
  }
}

async function injected(request: FuzzRequest, key: string | undefined): Promise<void> {
  const sentAt = performance.now()
  const answer = await inject(request, key)
  slowestMs = Math.max(slowestMs, performance.now() - sentAt)
  count(String(answer.status))
  check({ method: request.method, path: pathOf(request.url), body: request.body }, answer)
}

async function overSocket(
  how: string,
  request: FuzzRequest,
  bytes: Buffer,
  hangUpAfterMs?: number,
): Promise<void> {
  const { method } = request
  const options = { method, ...(hangUpAfterMs !== undefined && { hangUpAfterMs }) }
  const answers = await sendBytes(target.port, bytes, options)
  count(`${how} ${answers[0]?.status ?? 'closed'}`)
  for (const answer of answers) check({ method, path: pathOf(request.url), body: undefined }, answer)
}

function isHeldOpen({ id, streams, body }: Operation): boolean {
  return streams === true || id === 'waitForAgent' || 'waitMs' in (body?.properties ?? {})
}

function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? ''
}

function check(asked: Parameters<typeof problemWith>[0], answer: Answer): void {
  if (only !== undefined) console.log(answer.status, answer.headers, answer.text.slice(0, 2_000))
  const problem = problemWith(asked, answer)
  if (problem !== undefined)
    throw new Error(`${problem}\n  answer: ${answer.status} ${answer.text.slice(0, 500)}`)
}

async function inject({ method, url, headers, body }: FuzzRequest, key: string | undefined): Promise<Answer> {
  const response = await target.app.inject({
    // The router, not the type, has to cope with what is no method of ours.
    method: method as 'GET',
    url,
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
    ...(body !== undefined && { payload: body }),
  })
  const entries = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
  return {
    status: response.statusCode,
    headers: Object.fromEntries(entries) as Record<string, string>,
    text: response.body,
  }
}

async function isHealthy(): Promise<boolean> {
  const { statusCode } = await target.app.inject('/healthz')
  return statusCode === 200
}

async function roundTrips(): Promise<boolean> {
  const document = {
    description: 'Übung 💥',
    prompt: 'line\nline',
    model: 'm',
    tasks: [{ subject: 's', description: '' }],
  }
  const written = await target.admin.write('persona', 'after-the-fuzz', document)
  const { document: read } = await target.admin.read('persona', 'after-the-fuzz')
  return (
    written.status === 200 &&
    Object.entries(document).every(([name, value]) => JSON.stringify(read[name]) === JSON.stringify(value))
  )
}

function count(status: string): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

function fail(where: string, problem: string, snippet = ''): void {
  failed += 1
  if (failed > MAX_SHOWN) return
  console.log(`FAILED ${where} (--seed ${seed}): ${problem}\n  ${snippet}`)
}

/** To paste into a test: `app.inject(…)`. */
function snippetOf({ method, url, headers, body }: FuzzRequest): string {
  const payload = body && `, payload: Buffer.from('${body.subarray(0, 20_000).toString('base64')}', 'base64')`
  return `app.inject({ method: '${method}', url: ${JSON.stringify(url)}, headers: ${JSON.stringify(headers)}${payload ?? ''} })`
}

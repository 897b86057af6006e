import { OPERATIONS, type Operation } from '@skein/contract'
import { Random } from '@skein/testkit'
import { problemWith, type Answer } from './check.ts'
import { Known } from './known.ts'
import { Line } from './line.ts'
import { brokenBytes, sendBytes, wholeBytes } from './raw-http.ts'
import { makeRequest, type FuzzRequest, type Material } from './requests.ts'
import type { Target } from './target.ts'
import { SCIM } from './scim.ts'

const CONCURRENCY = 32
const RAW_SHARE = 0.015
const SLOW_SHARE = 0.005
const HANG_UP_MS = 500
/** In addition to the others: most of them only wait. */
const MAX_HELD = 128
/** A body rejected before it was read closes its connection. */
const LARGE_BYTES = 256 * 1024
const MEASURE_EVERY = 500
const MAX_TICK_MS = 250

/** Headers that control the framing need a separate connection. */
const FRAMING = ['content-length', 'transfer-encoding', 'expect', 'connection', 'upgrade', 'host']

/** Operations that respond only when something happens. Sent over a raw socket, so that we can disconnect. */
const HELD_PATHS: ReadonlySet<string> = new Set(OPERATIONS.filter(isHeldOpen).map(({ path }) => path))

export interface RunOptions {
  readonly seed: number
  readonly requests: number
  readonly only: number | undefined
  /** Left out of the requests, to see whether that is noticed. */
  readonly missing?: string
  readonly fail: (where: string, problem: string, raw?: string) => void
}

interface SocketOptions {
  readonly hangUpAfterMs?: number
  readonly parts?: number
}

/** Sends the requests of one seed to a target. */
export class FuzzRun {
  readonly statuses = new Map<string, number>()
  serverErrors = 0
  longestTickMs = 0
  longestOwnTickMs = 0
  unreached: readonly string[] = []
  routes = 0
  isCrashed = false
  readonly #target: Target
  readonly #options: RunOptions
  readonly #material: { -readonly [Name in keyof Material]: Material[Name] }
  readonly #held = new Set<Promise<void>>()
  #next = 0

  constructor(target: Target, options: RunOptions) {
    this.#target = target
    this.#options = options
    const operations: readonly Operation[] = [...OPERATIONS, ...SCIM]
    this.#material = {
      operations: operations.filter(({ id }) => id !== options.missing),
      otherPaths: [],
      known: new Known(),
    }
  }

  async run(): Promise<void> {
    // Discards what happened before, such as loading modules.
    const before = await this.#target.measure()
    const known = new Set(this.#material.operations.map(({ method, path }) => `${method} ${toRoute(path)}`))
    this.#material.otherPaths = (before?.routes ?? [])
      .filter((route) => route.startsWith('GET /') && !known.has(route) && !route.startsWith('GET /v1/'))
      .map((route) => route.slice(4).replaceAll(/:\w+|\*/g, 'x'))
    await Promise.all(Array.from({ length: CONCURRENCY }, () => this.#work()))
    await this.#measure('after everything', true)
  }

  async #work(): Promise<void> {
    const line = new Line(this.#target.port)
    const { only, requests } = this.#options
    while (this.#next < requests && !this.isCrashed) {
      const index = only ?? this.#next
      this.#next += 1
      await this.#send(index, line)
      if (this.#held.size > MAX_HELD) await Promise.race(this.#held)
      if (index % MEASURE_EVERY === 0) await this.#measure(`around request ${index}`, false)
    }
    line.close()
    await Promise.all(this.#held)
  }

  async #send(index: number, line: Line): Promise<void> {
    const random = new Random(this.#options.seed, index)
    const request = makeRequest(random, index, this.#material)
    const key = this.#target.keys[request.caller]
    const isBroken = random.chance(RAW_SHARE) || request.url.startsWith('//')
    const isOwnLine =
      isBroken ||
      (request.body?.length ?? 0) > LARGE_BYTES ||
      FRAMING.some((name) => Object.hasOwn(request.headers, name))
    const isHeld = HELD_PATHS.has(pathOf(request.url))
    const parts = random.chance(SLOW_SHARE) ? 2 + random.below(8) : 1
    const bytes = isBroken
      ? brokenBytes(random, request, key)
      : wholeBytes(request, key, isOwnLine || isHeld || parts > 1 ? 'close' : 'keep-alive')
    const failed = (error: unknown): void => {
      const problem = error instanceof Error ? error.message : String(error)
      const raw = `printf %s ${bytes.subarray(0, 20_000).toString('base64')} | base64 -d | nc 127.0.0.1 $PORT`
      this.#options.fail(`request ${index} by ${request.caller}`, problem, raw)
    }
    const overSocket = (how: string, options: SocketOptions) =>
      this.#overSocket(how, request, bytes, options).catch(failed)
    if (isHeld) this.#hold(overSocket('held', { hangUpAfterMs: HANG_UP_MS }))
    else if (isOwnLine) await overSocket('raw', { parts })
    else if (parts > 1) await overSocket('slow', { parts })
    else await this.#overLine(request, bytes, line).catch(failed)
  }

  #hold(answer: Promise<void>): void {
    this.#held.add(answer)
    void answer.then(() => this.#held.delete(answer))
  }

  async #overLine(request: FuzzRequest, bytes: Buffer, line: Line): Promise<void> {
    const answer = await line.ask(bytes, request.method)
    this.#count(String(answer.status))
    this.#check(request, answer)
    if (answer.status === 200 && request.method !== 'HEAD') this.#learn(answer)
  }

  async #overSocket(how: string, request: FuzzRequest, bytes: Buffer, options: SocketOptions): Promise<void> {
    const { method } = request
    const answers = await sendBytes(this.#target.port, bytes, { method, ...options })
    this.#count(`${how} ${answers[0]?.status ?? 'closed'}`)
    for (const answer of answers) {
      this.#check(how === 'raw' ? { ...request, body: undefined } : request, answer)
      if (answer.status === 200 && method !== 'HEAD') this.#learn(answer)
    }
  }

  #check({ method, url, body }: FuzzRequest, answer: Answer): void {
    if (this.#options.only !== undefined)
      console.log(answer.status, answer.headers, answer.text.slice(0, 2_000))
    if (answer.status >= 500 && answer.status !== 501) this.serverErrors += 1
    const problem = problemWith({ method, path: pathOf(url), body }, answer)
    if (problem === undefined) return
    throw new Error(`${problem}\n  answer: ${answer.status} ${answer.text.slice(0, 500)}`)
  }

  #learn({ headers, text }: Answer): void {
    if (headers['content-type']?.startsWith('application/json') === true && text.length < 100_000)
      this.#material.known.learn(JSON.parse(text))
  }

  async #measure(where: string, isLast: boolean): Promise<void> {
    const measured = await this.#target.measure()
    if (!measured) {
      if (!this.isCrashed) this.#options.fail(where, 'the server is gone')
      this.isCrashed = true
      return
    }
    const { longestTickMs, longestOwnTickMs, faults, isPrototypeClean, routes, reached } = measured
    this.longestTickMs = Math.max(this.longestTickMs, longestTickMs)
    this.longestOwnTickMs = Math.max(this.longestOwnTickMs, longestOwnTickMs)
    if (longestOwnTickMs > MAX_TICK_MS)
      this.#options.fail(where, `the event loop was away for ${longestOwnTickMs.toFixed(0)} ms`)
    if (!isPrototypeClean) this.#options.fail(where, 'Object.prototype was changed')
    for (const fault of faults) this.#options.fail(where, `the server logged ${fault.slice(0, 2_000)}`)
    if (!isLast || this.#options.only !== undefined) return
    this.routes = reached.length
    this.unreached = routes.filter((route) => !reached.includes(route))
    if (this.unreached.length > 0) this.#options.fail(where, `never reached: ${this.unreached.join(', ')}`)
  }

  #count(status: string): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
  }
}

/** In the server's notation: `/v1/catalog/:ref.kind`. */
function toRoute(path: string): string {
  return path.replaceAll(/\{([^}]+)\}/g, ':$1')
}

function isHeldOpen({ id, streams, body }: Operation): boolean {
  return streams === true || id === 'waitForAgent' || 'waitMs' in (body?.properties ?? {})
}

function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? ''
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { effectivePrice } from '@skein/contract'
import { Gate } from '@skein/host'
import { Rate } from '../front/rate.ts'
import type { FrontHandler, FrontService } from '../front/front.ts'
import { anthropic } from './anthropic.ts'
import { BodyMemory } from './body-memory.ts'
import type { CheckedRequest } from './check/check-request.ts'
import { RequestChecker } from './check/request-checker.ts'
import type { ModelGrant, Price } from './grant.ts'
import { readToken } from './headers.ts'
import { ModelCall, type Metering } from './model-call.ts'
import { openai } from './openai.ts'
import { hasPrice, leastCostUsd } from './prices.ts'
import type { Provider, ProviderName, ProviderRoute } from './provider.ts'
import { announcedBytes, HeldBody, readBody, TOO_LARGE, type BodyRefusal } from './read-body.ts'
import { refuse } from './refuse.ts'
import { UPSTREAM_TIMEOUTS, type UpstreamTimeouts } from './upstream.ts'
import { findKeyProblem, readUpstream, type Upstream } from './upstream-key.ts'

export interface ModelGatewayOptions {
  /** URLs with or without the trailing `/v1`. */
  readonly providers: Readonly<
    Partial<Record<ProviderName, { readonly url: string; readonly apiKey: string }>>
  >
  readonly now: () => number
  /** Memory for all requests being read or sent. */
  readonly bodyBytes: number
  readonly timeouts?: Partial<UpstreamTimeouts>
}

interface Session {
  grant: ModelGrant
  /** One paid call at a time per program, so that a budget is exceeded by at most one call. */
  readonly paidCalls: Gate
  /** Calls that only count tokens don't wait for the model's answers, only for each other. */
  readonly freeCalls: Gate
  readonly bytes: Rate
  readonly calls: Map<AbortController, Promise<void>>
}

const MIB = 1024 * 1024
/** About what providers accept. */
const MAX_REQUEST_BYTES = 32 * MIB
/** Most requests are smaller. They don't wait for others to be sent. */
const OWN_BYTES = MIB
const MAX_WAITING_CALLS = 32
/** From a program on the same host. */
const BODY_TIMEOUT_MS = 30_000
/** Limits how much work one agent causes: reading 30 MB takes about a second. */
const BYTE_RATE = { perSecond: 4 * MIB, burst: 64 * MIB, maxWaitMs: 30_000 }

interface Ask {
  readonly provider: Provider
  readonly session: Session
  readonly route: ProviderRoute
  readonly query: string
  readonly signal: AbortSignal
}

const NO_PRICE: Price = { model: '*', input: 0, cachedInput: 0, cacheWrite: 0, output: 0 }

const TOO_MUCH: BodyRefusal = {
  status: 429,
  message: 'Not enough memory for a request of this size right now. Retry later, or send less.',
}

const PROVIDERS: readonly Provider[] = [anthropic, openai]

/**
 * Sits between the agents' programs and the providers: it replaces the agent's token with the provider's key and
 * meters every call from its stream. So no key is ever inside a sandbox, and a call's usage is known even if it is
 * cut.
 */
export class ModelGateway implements FrontService {
  readonly #upstreams: ReadonlyMap<string, Upstream>
  readonly #now: () => number
  readonly #timeouts: UpstreamTimeouts
  readonly #sessions = new Map<string, Session>()
  readonly #bodies: BodyMemory
  readonly #checker = new RequestChecker()

  constructor({ providers, now, bodyBytes, timeouts }: ModelGatewayOptions) {
    this.#timeouts = { ...UPSTREAM_TIMEOUTS, ...timeouts }
    this.#bodies = new BodyMemory(Math.max(bodyBytes, MAX_REQUEST_BYTES))
    this.#upstreams = new Map(Object.entries(providers).map(([name, each]) => [name, readUpstream(each)]))
    this.#now = now
  }

  /** If the token is already open, the new grant applies from its next call on. */
  open(token: string, grant: ModelGrant): void {
    const session = this.#sessions.get(token)
    if (session) session.grant = grant
    else this.#sessions.set(token, openSession(grant))
  }

  /** Ends the process that checks requests. */
  stop(): Promise<void> {
    return this.#checker.close()
  }

  /** Cuts the token's calls. Resolves when the usage of each was reported. */
  async close(token: string): Promise<void> {
    const session = this.#sessions.get(token)
    this.#sessions.delete(token)
    if (!session) return
    for (const abort of session.calls.keys()) abort.abort()
    await Promise.allSettled(session.calls.values())
  }

  /** Whether a call without its own key can be made. */
  hasKey(name: ProviderName): boolean {
    return (this.#upstreams.get(name)?.apiKey ?? '') !== ''
  }

  /** Why the runner's own key doesn't work; empty if it does, or if there is none. */
  async findKeyProblem(name: ProviderName): Promise<string> {
    const [provider, upstream] = [PROVIDERS.find((each) => each.name === name), this.#upstreams.get(name)]
    return provider && upstream && upstream.apiKey !== '' ? findKeyProblem(provider, upstream) : ''
  }

  knownToken({ headers }: IncomingMessage): string | undefined {
    const token = readToken(headers)
    return token !== undefined && this.#sessions.has(token) ? token : undefined
  }

  turnAway(_request: IncomingMessage, response: ServerResponse, path: string): void {
    const { provider } = readPlace(path)
    if (provider) refuse(response, provider, 401, 'The token does not belong to a running agent.')
    else response.writeHead(404).end()
  }

  readonly handle: FrontHandler = async (request, response, path) => {
    const { provider, route, query } = readPlace(path)
    const session = this.#sessions.get(this.knownToken(request) ?? '')
    if (!provider || !session) return this.turnAway(request, response, path)
    const found = provider.routes.find((each) => each.path === route && each.method === request.method)
    if (!found || !opens(session.grant, provider))
      refuse(response, provider, 404, 'The model gateway does not offer this path.')
    else
      await this.#track(session, response, (signal) =>
        this.#inTurn(request, response, { provider, session, route: found, query, signal }),
      )
  }

  /** Adds the call to its session. The call ends with the session or with the response. */
  async #track(
    session: Session,
    response: ServerResponse,
    carryOut: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const abort = new AbortController()
    const leave = (): void => abort.abort()
    response.once('close', leave)
    const call = carryOut(abort.signal)
    session.calls.set(abort, call)
    try {
      await call
    } finally {
      session.calls.delete(abort)
      response.off('close', leave)
    }
  }

  async #inTurn(request: IncomingMessage, response: ServerResponse, ask: Ask): Promise<void> {
    const { session, route, provider, signal } = ask
    const gate = route.isPaid ? session.paidCalls : session.freeCalls
    if (gate.waiting >= MAX_WAITING_CALLS) {
      refuse(response, provider, 400, 'Too many concurrent calls.')
      return
    }
    const leave = await gate.enter(signal)
    try {
      if (leave) await this.#answer(request, response, ask)
      else response.destroy()
    } finally {
      leave?.()
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, ask: Ask): Promise<void> {
    const { provider, route, signal } = ask
    const { grant } = ask.session
    const upstream = this.#upstreams.get(provider.name)
    const apiKey = grant.apiKey ?? upstream?.apiKey ?? ''
    if (!upstream || apiKey === '') {
      refuse(response, provider, 400, `This runner has no key for ${provider.name}.`)
      return
    }
    const received = await this.#receive(request, ask)
    if (!received) return void response.destroy()
    if (!(received instanceof HeldBody)) return refuse(response, provider, received.status, received.message)
    try {
      const job = { provider: provider.name, body: received.take(), policy: grant.policy }
      const checked = await this.#checker.check(job, signal)
      if (!checked) return void response.destroy()
      if (!checked.isAllowed) return refuse(response, provider, 400, checked.message)
      const metering = meteringOf(checked, grant, route)
      const refusal = await findRefusal(metering, checked, grant)
      if (refusal) return refuse(response, provider, refusal.status, refusal.message)
      if (signal.aborted) return void response.destroy()
      received.put(checked.body)
      await new ModelCall({
        request,
        response,
        provider,
        url: new URL(`${upstream.base}${route.path}${provider.queries.includes(ask.query) ? ask.query : ''}`),
        apiKey,
        grant,
        metering,
        signal,
        timeouts: this.#timeouts,
        now: this.#now,
        redact: (text) => this.#redact(text).replaceAll(apiKey, '[redacted]'),
      }).carryOut(received)
    } finally {
      received.release()
    }
  }

  /** The body, in memory reserved before reading its first byte. Undefined if the agent disconnected. */
  async #receive(
    request: IncomingMessage,
    { session, signal }: Ask,
  ): Promise<HeldBody | BodyRefusal | undefined> {
    const bytes = announcedBytes(request, MAX_REQUEST_BYTES)
    if (bytes > MAX_REQUEST_BYTES) return TOO_LARGE
    const patience = AbortSignal.any([signal, AbortSignal.timeout(BODY_TIMEOUT_MS)])
    if (!(await session.bytes.pass(bytes, patience))) return signal.aborted ? undefined : TOO_MUCH
    const release = bytes <= OWN_BYTES ? () => undefined : await this.#bodies.reserve(bytes, patience)
    if (!release) return signal.aborted ? undefined : TOO_MUCH
    const body = await readBody(request, { maxBytes: bytes, timeoutMs: BODY_TIMEOUT_MS })
    if (Buffer.isBuffer(body)) return new HeldBody(body, release)
    release()
    return body
  }

  #redact(text: string): string {
    let clean = text
    for (const { apiKey } of this.#upstreams.values()) {
      if (apiKey !== '') clean = clean.replaceAll(apiKey, '[redacted]')
    }
    return clean
  }
}

function readPlace(path: string): { provider: Provider | undefined; route: string; query: string } {
  const [, name = '', route = '', query = ''] = /^\/([a-z]+)(\/[^?]*)(\?.*)?$/.exec(path) ?? []
  return { provider: PROVIDERS.find((each) => each.name === name), route, query }
}

function openSession(grant: ModelGrant): Session {
  const gates = { paidCalls: new Gate(1), freeCalls: new Gate(1) }
  return { grant, calls: new Map(), ...gates, bytes: new Rate(BYTE_RATE) }
}

function opens(grant: ModelGrant, provider: Provider): boolean {
  return grant.provider === undefined || grant.provider === provider.name
}

type AllowedRequest = Extract<CheckedRequest, { readonly isAllowed: true }>

function meteringOf(
  { model, promptTokens }: AllowedRequest,
  { prices, leastPrices }: ModelGrant,
  { isPaid }: ProviderRoute,
): Metering {
  return {
    model,
    isPaid,
    promptTokens: isPaid ? promptTokens : 0,
    price: isPaid ? effectivePrice(prices, leastPrices, model) : NO_PRICE,
  }
}

async function findRefusal(
  { promptTokens, price }: Metering,
  { providerTools }: AllowedRequest,
  grant: ModelGrant,
): Promise<{ readonly status: number; readonly message: string } | undefined> {
  const isPriced = price && providerTools.every((tool) => hasPrice(tool, grant.toolPrices))
  try {
    const { isAllowed, message } = await grant.authorize(
      isPriced ? leastCostUsd(promptTokens, price) : undefined,
    )
    return isAllowed ? undefined : { status: 402, message }
  } catch {
    return { status: 503, message: 'The budget cannot be checked at the moment.' }
  }
}

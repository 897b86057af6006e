import type { IncomingMessage, ServerResponse } from 'node:http'
import { Gate } from '../daemon/gate.ts'
import type { FrontHandler } from '../front/front.ts'
import { anthropic } from './anthropic.ts'
import type { ModelGrant } from './grant.ts'
import { readToken } from './headers.ts'
import { parseJson } from '../json.ts'
import { asObject, asText } from './json.ts'
import { ModelCall, type Metering } from './model-call.ts'
import { openai } from './openai.ts'
import { estimatePromptTokens, findPrice, leastCostUsd } from './prices.ts'
import type { Provider, ProviderName, ProviderRoute } from './provider.ts'
import { refuse } from './refuse.ts'
import { collect } from './upstream.ts'

export interface ModelGatewayOptions {
  /** Addresses with or without the `/v1` at their end. */
  readonly providers: Readonly<
    Partial<Record<ProviderName, { readonly url: string; readonly apiKey: string }>>
  >
  readonly now: () => number
}

interface Upstream {
  /** Without `/v1` and the slash before it. */
  readonly base: string
  readonly apiKey: string
}

interface Session {
  grant: ModelGrant
  /** A program asks its model one thing after the other; only so is a budget passed by one call at most. */
  readonly paidCalls: Gate
  readonly calls: Map<AbortController, Promise<void>>
}

/** About what providers accept. */
const MAX_REQUEST_BYTES = 32 * 1024 * 1024
const MAX_WAITING_CALLS = 32

interface Ask {
  readonly provider: Provider
  readonly session: Session
  readonly route: ProviderRoute
  readonly query: string
  readonly signal: AbortSignal
}

const PROVIDERS: readonly Provider[] = [anthropic, openai]

/**
 * Stands between the agents' programs and the providers: a token of the agent comes in, the provider's key goes
 * out, and every call is metered from its own stream. So no key is ever inside a sandbox, and what a call has used
 * is known even when it is cut.
 */
export class ModelGateway {
  readonly #upstreams: ReadonlyMap<string, Upstream>
  readonly #now: () => number
  readonly #sessions = new Map<string, Session>()

  constructor({ providers, now }: ModelGatewayOptions) {
    this.#upstreams = new Map(Object.entries(providers).map(([name, each]) => [name, readUpstream(each)]))
    this.#now = now
  }

  /** A token that is open already has the new grant from its next call on. */
  open(token: string, grant: ModelGrant): void {
    const session = this.#sessions.get(token)
    if (session) session.grant = grant
    else this.#sessions.set(token, { grant, calls: new Map(), paidCalls: new Gate(1) })
  }

  /** Cuts the calls of the token. Resolves when the usage of each has been told. */
  async close(token: string): Promise<void> {
    const session = this.#sessions.get(token)
    this.#sessions.delete(token)
    if (!session) return
    for (const abort of session.calls.keys()) abort.abort()
    await Promise.allSettled(session.calls.values())
  }

  readonly handle: FrontHandler = async (request, response, path) => {
    const [, name = '', route = '', query = ''] = /^\/([a-z]+)(\/[^?]*)(\?.*)?$/.exec(path) ?? []
    const provider = PROVIDERS.find((each) => each.name === name)
    if (!provider) {
      response.writeHead(404).end()
      return
    }
    const token = readToken(request.headers)
    const session = token === undefined ? undefined : this.#sessions.get(token)
    const found = provider.routes.find((each) => each.path === route && each.method === request.method)
    if (!session) refuse(response, provider, 401, 'The token is not that of an agent at work.')
    else if (!found || !opens(session.grant, provider))
      refuse(response, provider, 404, 'The model gateway does not offer this path.')
    else
      await this.#track(session, response, (signal) =>
        this.#inTurn(request, response, { provider, session, route: found, query, signal }),
      )
  }

  /** Makes the call known to its session, and ends it with either. */
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
    if (!route.isPaid) return this.#answer(request, response, ask)
    if (session.calls.size >= MAX_WAITING_CALLS) {
      refuse(response, provider, 400, 'Too many calls at once.')
      return
    }
    const leave = await session.paidCalls.enter(signal)
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
    if (!upstream) {
      refuse(response, provider, 400, `This runner has no key for ${provider.name}.`)
      return
    }
    const body = await collect(request, MAX_REQUEST_BYTES)
    if (!body) {
      refuse(response, provider, 413, 'The request is too large.')
      return
    }
    const metering = route.isPaid ? readMetering(body, grant) : undefined
    const refusal = metering && (await findRefusal(metering, grant))
    if (refusal) refuse(response, provider, refusal.status, refusal.message)
    else if (signal.aborted) response.destroy()
    else {
      await new ModelCall({
        request,
        response,
        body,
        provider,
        url: new URL(`${upstream.base}${route.path}${ask.query}`),
        apiKey: upstream.apiKey,
        grant,
        metering,
        signal,
        now: this.#now,
        redact: (text) => this.#redact(text),
      }).carryOut()
    }
  }

  #redact(text: string): string {
    let clean = text
    for (const { apiKey } of this.#upstreams.values()) clean = clean.replaceAll(apiKey, '[redacted]')
    return clean
  }
}

function opens(grant: ModelGrant, provider: Provider): boolean {
  return grant.provider === undefined || grant.provider === provider.name
}

function readMetering(body: Buffer, { prices }: ModelGrant): Metering {
  const { model: given, background } = asObject(parseJson(body.toString()))
  const model = asText(given)
  return {
    model,
    isInBackground: background === true,
    promptTokens: estimatePromptTokens(body),
    price: findPrice(prices, model),
  }
}

async function findRefusal(
  { model, isInBackground, promptTokens, price }: Metering,
  grant: ModelGrant,
): Promise<{ readonly status: number; readonly message: string } | undefined> {
  if (model === '') return { status: 400, message: 'The request names no model.' }
  // It would go on after its answer, where nobody can meter it.
  if (isInBackground) return { status: 400, message: 'Calls in the background are not possible here.' }
  // Not 404, which makes Claude put its own words in place of these.
  if (grant.allowedModels?.(model) === false) {
    return { status: 400, message: `The model ${model} is not one that this agent may use.` }
  }
  try {
    const { isAllowed, message } = await grant.authorize(price && leastCostUsd(promptTokens, price))
    return isAllowed ? undefined : { status: 402, message }
  } catch {
    return { status: 503, message: 'The budget cannot be checked at the moment.' }
  }
}

function readUpstream({ url, apiKey }: { readonly url: string; readonly apiKey: string }): Upstream {
  if (apiKey === '') throw new Error('A provider needs a key')
  return { base: new URL(url).href.replace(/\/+$/, '').replace(/\/v1$/, ''), apiKey }
}

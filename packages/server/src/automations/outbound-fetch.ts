import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { AnswerTooLarge, type HostFetch, type HostRequest } from '@skein/engine'
import { OutboundAddresses } from './outbound-addresses.ts'
import { createOutboundAgents, describeOutboundError, type OutboundAgents } from './outbound-agents.ts'

const TIME_LIMIT_MS = 10_000
/** Far more than any answer that we ask for. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
/** If only the end of it is wanted. */
const MAX_READ_BYTES = 64 * 1024 * 1024
const BODILESS = new Set([101, 204, 205, 304])

/**
 * `fetch` for clients of code hosts that tenants choose: only to allowed addresses, without following redirects, within
 * fixed limits. The response is complete when it is returned.
 */
export class OutboundFetch {
  readonly #named: Way
  /** With connections of its own: one that is open is used again without a look at its address. */
  readonly #elsewhere: Way

  constructor(addresses: OutboundAddresses, { proxy }: { readonly proxy: string }) {
    this.#named = { addresses, agents: createOutboundAgents(proxy) }
    const nothingElse = new OutboundAddresses({ hosts: new Set(), ranges: [] })
    this.#elsewhere = { addresses: nothingElse, agents: createOutboundAgents(proxy) }
  }

  readonly fetch: HostFetch = async (input, init = {}) => {
    const request = new Request(input, { ...init, redirect: 'manual' })
    const limit = AbortSignal.timeout(TIME_LIMIT_MS)
    try {
      return await this.#send(request, init, AbortSignal.any([limit, request.signal]))
    } catch (error) {
      if (limit.aborted) throw new Error('It did not answer within 10 seconds.', { cause: error })
      throw describeOutboundError(error)
    }
  }

  close(): void {
    for (const { agents } of [this.#named, this.#elsewhere]) {
      agents['http:'].destroy()
      agents['https:'].destroy()
    }
  }

  async #send(
    request: Request,
    { redirect, keepEnd, isElsewhere = false }: HostRequest,
    signal: AbortSignal,
  ): Promise<Response> {
    const url = new URL(request.url)
    const { addresses, agents } = isElsewhere ? this.#elsewhere : this.#named
    addresses.requireAllowed(url)
    const body = Buffer.from(await request.arrayBuffer())
    const protocol = url.protocol === 'https:' ? 'https:' : 'http:'
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = (protocol === 'https:' ? https : http).request(url, {
        method: request.method,
        agent: agents[protocol],
        lookup: addresses.lookup,
        signal,
        headers: {
          ...Object.fromEntries(request.headers),
          'accept-encoding': 'identity',
          ...(body.length > 0 && { 'content-length': String(body.length) }),
        },
      })
      sent.once('response', resolve)
      sent.once('error', reject)
      sent.end(body)
    })
    const status = response.statusCode ?? 0
    if (status >= 300 && status < 400 && status !== 304) {
      response.destroy()
      // Who asks for it decides where to go, and asks us for that too.
      if (redirect === 'manual') return new Response(null, { status, headers: headersOf(response) })
      throw new Error('It redirects elsewhere, which is not followed: correct its URL.')
    }
    const answer = keepEnd === undefined ? await readBody(response) : await readEnd(response, keepEnd)
    const headers = headersOf(response)
    headers.set('content-length', String(answer.length))
    return new Response(BODILESS.has(status) ? null : answer, { status, headers })
  }
}

/** Which addresses, and the connections to them. */
interface Way {
  readonly addresses: OutboundAddresses
  readonly agents: OutboundAgents
}

async function readBody(response: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_RESPONSE_BYTES) {
      response.destroy()
      throw new AnswerTooLarge()
    }
  }
  return Buffer.concat(chunks)
}

async function readEnd(response: IncomingMessage, keepEnd: number): Promise<Buffer<ArrayBuffer>> {
  let end = Buffer.alloc(0)
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_READ_BYTES) {
      response.destroy()
      throw new AnswerTooLarge()
    }
    end = Buffer.concat([end, chunk]).subarray(-keepEnd)
  }
  return Buffer.from(end)
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  return headers
}

import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { OutgoingPost, Post, PostResponse } from '@skein/engine'
import {
  createOutboundAgents,
  describeOutboundError,
  type OutboundAgents,
  type SenderOption,
} from './outbound-agents.ts'
import type { OutboundAddresses } from './outbound-addresses.ts'

const TIME_LIMIT_MS = 10_000
const MAX_RESPONSE_BYTES = 64 * 1024

/** Posts to URLs that tenants choose: only to allowed addresses, without following redirects, within fixed limits. */
export class OutboundPosts {
  readonly #addresses: OutboundAddresses
  readonly #userAgent: string
  readonly #agents: OutboundAgents

  constructor(
    addresses: OutboundAddresses,
    { userAgent, proxy }: { readonly userAgent: string; readonly proxy: string },
  ) {
    this.#addresses = addresses
    this.#userAgent = userAgent
    this.#agents = createOutboundAgents(proxy)
  }

  readonly post: Post = async (post) => {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS)
    try {
      return await this.#send(post, signal)
    } catch (error) {
      if (signal.aborted) throw new Error('The receiver did not answer within 10 seconds.', { cause: error })
      throw describeOutboundError(error)
    }
  }

  close(): void {
    this.#agents['http:'].destroy()
    this.#agents['https:'].destroy()
  }

  /** A kept connection may have been closed just now: then the request goes out once more, on a new one. */
  async #send(post: OutgoingPost, signal: AbortSignal): Promise<PostResponse> {
    const url = new URL(post.url)
    this.#addresses.requireAllowed(url)
    const [response, isReused] = await this.#request(url, post, signal)
    if (response instanceof Error) {
      if (!isReused || signal.aborted) throw response
      const [again] = await this.#request(url, post, signal)
      if (again instanceof Error) throw again
      return readResponse(again)
    }
    return readResponse(response)
  }

  #request(
    url: URL,
    { headers, body, sender }: OutgoingPost,
    signal: AbortSignal,
  ): Promise<[IncomingMessage | Error, boolean]> {
    const protocol = url.protocol === 'https:' ? 'https:' : 'http:'
    return new Promise((resolve) => {
      const options: https.RequestOptions & SenderOption = {
        method: 'POST',
        sender,
        agent: this.#agents[protocol],
        lookup: this.#addresses.lookup,
        signal,
        headers: {
          ...headers,
          'user-agent': this.#userAgent,
          accept: '*/*',
          'content-length': String(Buffer.byteLength(body)),
        },
      }
      const request = (protocol === 'https:' ? https : http).request(url, options)
      request.once('response', (response) => resolve([response, request.reusedSocket]))
      request.on('error', (error) => resolve([error, request.reusedSocket]))
      request.end(body)
    })
  }
}

/** Reads as much as is kept. A receiver that sends more is cut off: its status is known. */
async function readResponse(response: IncomingMessage): Promise<PostResponse> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= MAX_RESPONSE_BYTES) break
    }
  } catch {
    // It broke off in the middle: the status counts.
  }
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: Buffer.concat(chunks).subarray(0, MAX_RESPONSE_BYTES).toString('utf8'),
  }
}

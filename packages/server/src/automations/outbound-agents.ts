import http from 'node:http'
import https from 'node:https'

const SOCKETS = {
  keepAlive: true,
  // Shorter than what common servers keep.
  timeout: 4_000,
  maxSockets: 16,
  // Beyond what all senders use at once: a request must not wait for another's idle connection.
  maxTotalSockets: 2_048,
  maxFreeSockets: 8,
}

/** Of a request to a host that a tenant chose. */
export interface SenderOption {
  /** Who sends it: connections are shared only by requests of the same sender. */
  readonly sender?: string
}

export interface OutboundAgents {
  readonly 'http:': http.Agent
  readonly 'https:': https.Agent
}

type NameOptions = Parameters<http.Agent['getName']>[0] & SenderOption

/** A receiver that hangs must not hold up requests of others to the same host, for example a common platform. */
class HttpAgent extends http.Agent {
  override getName(options?: NameOptions): string {
    return `${super.getName(options)}:${options?.sender ?? ''}`
  }
}

class HttpsAgent extends https.Agent {
  override getName(options?: NameOptions): string {
    return `${super.getName(options)}:${options?.sender ?? ''}`
  }
}

/** Connections to hosts that tenants choose. */
export function createOutboundAgents(proxy: string): OutboundAgents {
  // Proxies named in the environment are for other programs: they would reach what our checks refuse.
  const proxyEnv = proxy === '' ? {} : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy }
  return {
    'http:': new HttpAgent({ ...SOCKETS, proxyEnv }),
    'https:': new HttpsAgent({ ...SOCKETS, proxyEnv }),
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: 'The receiver closed the connection without an answer.',
  EPIPE: 'The receiver closed the connection without an answer.',
  EHOSTUNREACH: 'The receiver is not reachable.',
  ENETUNREACH: 'The receiver is not reachable.',
  ETIMEDOUT: 'The receiver is not reachable.',
}

/** In words for the owner of the document with the address. */
export function describeOutboundError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  const code = 'code' in error ? String(error.code) : ''
  // Several addresses were tried.
  const first =
    error instanceof AggregateError ? error.errors.find((each) => each instanceof Error) : undefined
  if (first) return describeOutboundError(first)
  const reason = REASONS[code]
  return reason === undefined ? error : new Error(reason)
}

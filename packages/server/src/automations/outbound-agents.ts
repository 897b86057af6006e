import http from 'node:http'
import https from 'node:https'

const SOCKETS = {
  keepAlive: true,
  // Shorter than what common servers keep.
  timeout: 4_000,
  maxSockets: 16,
  maxTotalSockets: 512,
  maxFreeSockets: 32,
}

export interface OutboundAgents {
  readonly 'http:': http.Agent
  readonly 'https:': https.Agent
}

/** Connections to hosts that tenants choose. */
export function createOutboundAgents(proxy: string): OutboundAgents {
  // Proxies named in the environment are for other programs: they would reach what our checks refuse.
  const proxyEnv = proxy === '' ? {} : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy }
  return {
    'http:': new http.Agent({ ...SOCKETS, proxyEnv }),
    'https:': new https.Agent({ ...SOCKETS, proxyEnv }),
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

import { createHash, createHmac } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import type { TimelineEvent } from '@skein/client'
import { keyOf } from '../agent-tree.ts'
import { readVersion } from '../version.ts'

/** As for real deliveries. */
const TIME_LIMIT_MS = 10_000
const MAX_RESPONSE_BYTES = 64 * 1024
const PREFIX = 'whsec_'

/** What became of a request. */
export interface Forwarded {
  readonly id: string
  /** 0 if there was no response. */
  readonly status: number
  /** Empty if it was delivered. */
  readonly error: string
  readonly latencyMs: number
}

/** Sends an event as Skein does: the same body and headers, signed with this key. Never rejects. */
export async function forwardEvent(url: URL, signingKey: string, event: TimelineEvent): Promise<Forwarded> {
  const { agentId, sequence, type, time } = event
  const agent = createHash('sha256').update(keyOf(agentId)).digest('hex').slice(0, 32)
  const id = `msg_${agent}_${sequence}`
  const body = JSON.stringify({ type, timestamp: time, data: event })
  const begun = performance.now()
  const outcome = await post(url, body, signedHeaders(signingKey, id, body)).then(
    (status) => ({
      status,
      error: status >= 200 && status < 300 ? '' : `The receiver answered with status ${status}.`,
    }),
    (error: unknown) => ({ status: 0, error: describe(error) }),
  )
  return { id, ...outcome, latencyMs: Math.round(performance.now() - begun) }
}

/** The scheme of Standard Webhooks. */
function signedHeaders(signingKey: string, id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(signingKey.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
    'content-type': 'application/json',
    'user-agent': `skein/${readVersion()}`,
    accept: '*/*',
    'content-length': String(Buffer.byteLength(body)),
  }
}

/** Not `fetch`, which adds headers of its own and follows redirects. Resolves with the status. */
function post(url: URL, body: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS)
    const options = { method: 'POST', headers, signal, agent: false } as const
    const request = (url.protocol === 'https:' ? https : http).request(url, options)
    request.once('response', (response) => {
      let size = 0
      const end = () => resolve(response.statusCode ?? 0)
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size >= MAX_RESPONSE_BYTES) response.destroy()
      })
      // However it ends, the status counts.
      response.once('error', end)
      response.once('close', end)
    })
    request.once('error', (error) =>
      reject(signal.aborted ? new Error('The receiver did not answer within 10 seconds.') : error),
    )
    request.end(body)
  })
}

function describe(error: unknown): string {
  // Several addresses were tried, such as those of localhost.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const code = first instanceof Error && 'code' in first ? first.code : ''
  if (code === 'ECONNREFUSED') return 'Nothing listens there.'
  if (code === 'ECONNRESET') return 'The receiver closed the connection without an answer.'
  return first instanceof Error ? first.message : String(first)
}

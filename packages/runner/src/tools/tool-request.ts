import type { IncomingMessage } from 'node:http'
import { readBody, type BodyRefusal } from '../gateway/read-body.ts'
import { parseJson } from '../json.ts'

/** Far more than the longest text any tool accepts. */
const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 30_000

const NO_JSON: BodyRefusal = { status: 400, message: 'The request is not JSON.' }
const NO_BATCH: BodyRefusal = { status: 400, message: 'Send one call at a time.' }

/**
 * A program's tool call, or why it is rejected; undefined if the client has disconnected. Batches are rejected:
 * request limits would not notice such a flood, and the protocol no longer has them.
 */
export async function readToolRequest(
  request: IncomingMessage,
): Promise<{ readonly call: unknown } | { readonly refusal: BodyRefusal } | undefined> {
  const body = await readBody(request, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS })
  if (!body) return undefined
  if (!Buffer.isBuffer(body)) return { refusal: body }
  const call = parseJson(body.toString())
  if (call === undefined) return { refusal: NO_JSON }
  return Array.isArray(call) ? { refusal: NO_BATCH } : { call }
}

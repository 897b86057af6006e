import type { IncomingMessage } from 'node:http'
import type { Rate } from '../front/rate.ts'
import { readBody, type BodyRefusal } from '../gateway/read-body.ts'
import { parseJson } from '../json.ts'
import { countParts, countPartsAround } from './count-parts.ts'

/** Far more than the longest text any tool accepts. */
const MAX_BYTES = 1024 * 1024
const TIMEOUT_MS = 30_000
/** More than the largest output schema has. */
const LIMITS = { maxParts: 10_000, maxDepth: 100 }
/** The SDK checks these one by one, up to 20 µs each. Programs send about 20. */
const MAX_PARTS_AROUND = 200
/** Parsing and passing on a part takes as long as reading so many bytes. */
const BYTES_PER_PART = 100

/** Limits how much work one agent causes, in bytes: reading 1 MiB takes about 5 ms. */
export const WORK_RATE = { perSecond: 256 * 1024, burst: 4 * 1024 * 1024, maxWaitMs: 10_000 }

const NO_JSON: BodyRefusal = { status: 400, message: 'The request is not JSON.' }
const NO_BATCH: BodyRefusal = { status: 400, message: 'Send one call at a time.' }
const TOO_COMPLEX: BodyRefusal = {
  status: 413,
  message:
    `The request has too many parts. Send at most ${LIMITS.maxParts} keys and list items, ${MAX_PARTS_AROUND} of them ` +
    `outside of the tool's arguments, nested at most ${LIMITS.maxDepth} levels deep.`,
}
const TOO_MUCH: BodyRefusal = {
  status: 429,
  message: 'Too much data in a short time. Wait a minute, then retry, or send less.',
}

/**
 * A program's tool call, or why it is rejected; undefined if the client has disconnected. Batches are rejected:
 * request limits would not notice such a flood, and the protocol no longer has them.
 */
export async function readToolRequest(
  request: IncomingMessage,
  { work, signal }: { readonly work: Rate; readonly signal: AbortSignal },
): Promise<{ readonly call: unknown } | { readonly refusal: BodyRefusal } | undefined> {
  const body = await readBody(request, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS })
  if (!body) return undefined
  if (!Buffer.isBuffer(body)) return { refusal: body }
  const parts = countParts(body, LIMITS)
  if (!(await work.pass(body.length + BYTES_PER_PART * (parts ?? 0), signal)))
    return signal.aborted ? undefined : { refusal: TOO_MUCH }
  if (parts === undefined) return { refusal: TOO_COMPLEX }
  const call = parseJson(body.toString())
  if (call === undefined) return { refusal: NO_JSON }
  if (Array.isArray(call)) return { refusal: NO_BATCH }
  return countPartsAround(call) > MAX_PARTS_AROUND ? { refusal: TOO_COMPLEX } : { call }
}

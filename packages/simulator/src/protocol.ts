import type { Entry } from './conversation.ts'
import type { JsonObject } from './json.ts'
import type { Call, Failure, TokenUsage } from './script/script.ts'

export type ProtocolName = 'anthropic' | 'openai'

/** How one provider's API works. */
export interface Protocol {
  readonly name: ProtocolName
  readonly requestIdHeader: string
  readExchange(body: JsonObject): Exchange
  describeError(error: WireError, requestId: string): object
}

/** What a program asks of the model. */
export interface ModelRequest {
  readonly protocol: ProtocolName
  readonly model: string
  readonly isStreaming: boolean
  /** The program's own request, such as a title. Takes no step of a script. */
  readonly isSide: boolean
  /** The program's name for its conversation; empty if it has none. */
  readonly session: string
  readonly entries: readonly Entry[]
  /** The schema of the last answer. */
  readonly outputSchema: JsonObject | undefined
  /** Continues waiting for a running command. */
  readonly poll: Call | undefined
  /** The answer to a side request. */
  readonly sideText: string
}

/** A parsed request, with the ways to answer it. */
export interface Exchange {
  readonly request: ModelRequest
  describeAnswer(answer: Answer): object
  streamAnswer(answer: Answer): Iterable<Frame>
}

/** The model's answer, ready for the wire. */
export interface Answer {
  /** 20 hex digits. The start of every id in the answer, so that its parts are recognised. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly say: string
  readonly think: string
  readonly calls: readonly Call[]
  readonly output: { readonly value: unknown } | undefined
  /** Cuts the answer off in the middle. */
  readonly failure: Failure | undefined
  readonly usage: TokenUsage
  readonly chunkMs: number
  readonly chunks: number
}

export interface WireError {
  readonly status: number
  readonly message: string
  /** Defaults to the provider's name for the status. */
  readonly code: string | undefined
}

/** A piece of a stream. */
export type Frame =
  | { readonly kind: 'event'; readonly event: string; readonly data: object }
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut' }

/** The id of a part of an answer. */
export function partId(prefix: string, answer: Answer, part: number): string {
  return `${prefix}_${answer.id}${part.toString(16).padStart(2, '0')}`
}

/** The answer an id belongs to. */
export function answerIdIn(partOf: string): string | undefined {
  return /^[a-z]+_([0-9a-f]{20})[0-9a-f]{2}$/u.exec(partOf)?.[1]
}

/** Splits into at most this many non-empty pieces, without cutting characters. */
export function splitText(text: string, pieces: number): string[] {
  const characters = Array.from(text)
  const size = Math.max(1, Math.ceil(characters.length / pieces))
  const result: string[] = []
  for (let start = 0; start < characters.length; start += size) {
    result.push(characters.slice(start, start + size).join(''))
  }
  return result
}

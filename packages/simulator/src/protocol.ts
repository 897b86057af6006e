import type { Entry } from './conversation.ts'
import type { JsonObject } from './json.ts'
import type { Call, Failure, TokenUsage } from './script/script.ts'

export type ProtocolName = 'anthropic' | 'openai'

/** How one provider says things. */
export interface Protocol {
  readonly name: ProtocolName
  readonly requestIdHeader: string
  readExchange(body: JsonObject): Exchange
  describeError(error: WireError, requestId: string): object
}

/** One request that was understood, with the ways to answer it. */
export interface Exchange {
  readonly protocol: ProtocolName
  readonly model: string
  readonly isStreaming: boolean
  /** Asked by the program for itself, such as a title. Takes no step of a script. */
  readonly isSide: boolean
  /** What the program calls its conversation; empty when it does not tell. */
  readonly session: string
  readonly entries: readonly Entry[]
  /** What the last answer must fit. */
  readonly outputSchema: JsonObject | undefined
  /** Goes on waiting for a command that still runs. */
  readonly poll: Call | undefined
  /** What a side request gets. */
  readonly sideText: string
  describeAnswer(answer: Answer): object
  streamAnswer(answer: Answer): Iterable<Frame>
}

/** What the model says, ready for the wire. */
export interface Answer {
  /** 20 hexadecimal digits. Every id that we give out begins with it, so that parts of one answer are recognised. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly say: string
  readonly think: string
  readonly calls: readonly Call[]
  readonly output: { readonly value: unknown } | undefined
  /** Where the answer stops in the middle. */
  readonly failure: Failure | undefined
  readonly usage: TokenUsage
  readonly chunkMs: number
  readonly chunks: number
}

export interface WireError {
  readonly status: number
  readonly message: string
  /** The provider's own name for the status when absent. */
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

/** The answer that an id of ours belongs to. */
export function answerIdIn(partOf: string): string | undefined {
  return /^[a-z]+_([0-9a-f]{20})[0-9a-f]{2}$/u.exec(partOf)?.[1]
}

/** At most so many pieces, none of them empty, that never cut a character in two. */
export function splitText(text: string, pieces: number): string[] {
  const characters = Array.from(text)
  const size = Math.max(1, Math.ceil(characters.length / pieces))
  const result: string[] = []
  for (let start = 0; start < characters.length; start += size) {
    result.push(characters.slice(start, start + size).join(''))
  }
  return result
}

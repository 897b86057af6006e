import type { JsonObject } from '../json.ts'

/** One scripted answer of the model, or a failure. */
export interface SimulatorStep extends SimulatorCall {
  readonly say?: string
  readonly think?: string
  /** Several tool calls in one answer. */
  readonly calls?: readonly SimulatorCall[]
  /** Structured output, for runs that ask for it. */
  readonly output?: unknown
  /** The HTTP status to fail with. */
  readonly error?: number
  readonly message?: string
  /** Replaces the provider's own error name, such as `insufficient_quota`. */
  readonly code?: string
  /** Sends the error in a stream that has already started, not as a status. */
  readonly inStream?: boolean
  /** Sends some text, then nothing until the client disconnects. */
  readonly hang?: boolean
  /** Sends some text, then breaks the connection. */
  readonly cut?: boolean
  /** How often an error, hang or cut is repeated before the next step. Default: 1. */
  readonly times?: number | 'always'
  readonly headers?: Readonly<Record<string, string>>
  /** Before the first byte. */
  readonly delayMs?: number
  /** Before each piece of text. */
  readonly chunkMs?: number
  /** Number of pieces a text is split into. */
  readonly chunks?: number
  readonly usage?: Partial<TokenUsage>
}

export interface SimulatorCall {
  readonly shell?: string
  readonly write?: { readonly path: string; readonly text: string }
  /** Same as `write`. */
  readonly edit?: { readonly path: string; readonly text: string }
  /** A tool of the `skein` server, or one the request offers under this exact name. */
  readonly tool?: string
  readonly input?: JsonObject
  /** Makes the call once for each item of a list, such as `${result.tasks}`, with `${item}` as the item. */
  readonly each?: string
}

/** Input excludes cache reads and writes. Output includes reasoning. */
export interface TokenUsage {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}

export const DEFAULT_USAGE: TokenUsage = {
  input: 1_000,
  cachedInput: 200,
  cacheWrite: 50,
  output: 40,
  reasoning: 0,
}

export type Call =
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'write'; readonly path: string; readonly text: string }
  | {
      readonly kind: 'tool'
      readonly name: string
      readonly input: JsonObject
      /** A list; the call is made once per item. */
      readonly each?: string | undefined
    }

export type Failure = { readonly times: number } & (
  | {
      readonly kind: 'error'
      readonly status: number
      readonly message: string
      readonly code: string | undefined
      readonly isInStream: boolean
    }
  | { readonly kind: 'hang' | 'cut' }
)

/** A step after parsing. */
export interface Step {
  /** Counts from 1. */
  readonly number: number
  readonly say: string
  readonly think: string
  readonly calls: readonly Call[]
  /** Wrapped, because the output itself may be any JSON value. */
  readonly output: { readonly value: unknown } | undefined
  readonly failure: Failure | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly delayMs: number
  readonly chunkMs: number
  readonly chunks: number
  readonly usage: TokenUsage
}

export interface Script {
  readonly name: string
  /** Absent for inline scripts and the fallback. */
  readonly when: RegExp | undefined
  readonly steps: readonly Step[]
}

/** What happens at one point in a conversation: failures first, then an answer unless the script ends there. */
export interface Scene {
  readonly failures: readonly Step[]
  readonly answer: Step | undefined
}

/** A failure leaves no answer in the conversation, so only the other steps can be counted there. */
export function sceneAt(script: Script, answers: number): Scene {
  let failures: Step[] = []
  let passed = 0
  for (const step of script.steps) {
    if (step.failure) {
      failures.push(step)
      continue
    }
    if (passed === answers) return { failures, answer: step }
    passed += 1
    failures = []
  }
  return { failures: passed === answers ? failures : [], answer: undefined }
}

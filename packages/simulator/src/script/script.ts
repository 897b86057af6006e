import type { JsonObject } from '../json.ts'

/** One answer of the model, or one way not to give one, as it is written in a script. */
export interface SimulatorStep extends SimulatorCall {
  readonly say?: string
  readonly think?: string
  /** Several tool calls in one answer. */
  readonly calls?: readonly SimulatorCall[]
  /** Structured output, for a run that asks for it. */
  readonly output?: unknown
  /** The HTTP status to fail with. */
  readonly error?: number
  readonly message?: string
  /** Replaces the provider's own name of the error, such as `insufficient_quota`. */
  readonly code?: string
  /** The error comes in a stream that has already begun, not as a status. */
  readonly inStream?: boolean
  /** Says something, and then nothing until the client goes away. */
  readonly hang?: boolean
  /** Says something, and then the connection breaks. */
  readonly cut?: boolean
  /** How often an error, a hang or a cut comes before the next step is played. 1 by default. */
  readonly times?: number | 'always'
  readonly headers?: Readonly<Record<string, string>>
  /** Before the first byte. */
  readonly delayMs?: number
  /** Before each piece of text. */
  readonly chunkMs?: number
  /** Into how many pieces a text is cut. */
  readonly chunks?: number
  readonly usage?: Partial<TokenUsage>
}

export interface SimulatorCall {
  readonly shell?: string
  readonly write?: { readonly path: string; readonly text: string }
  /** The same as `write`. */
  readonly edit?: { readonly path: string; readonly text: string }
  /** A tool of the `skein` server, or one that the request offers under this very name. */
  readonly tool?: string
  readonly input?: JsonObject
  /** Makes the call once for each item of a list, such as `${result.tasks}`; `${item}` is then the item. */
  readonly each?: string
}

/** Input is what was neither read from nor written to the cache. Output includes reasoning. */
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
      /** Leads to a list; the call is made once for each item. */
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
  /** Counts from 1, as people do. */
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
  /** Absent in an inline script, and in the one that any prompt falls to. */
  readonly when: RegExp | undefined
  readonly steps: readonly Step[]
}

/** What a conversation meets at one point: failures first, and then an answer unless the script ends there. */
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

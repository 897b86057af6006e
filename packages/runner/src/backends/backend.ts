import type { Sandbox } from '../sandbox/sandbox.ts'

/** Drives one kind of coding agent. It holds no durable state: what a later turn needs is in the session reference. */
export interface Backend {
  /** As the catalog names it: `a`, `b`. */
  readonly name: string
  capabilities(model: string): Capabilities
  /** Says what is missing and how to install it, before the first run needs it. */
  probe(): Promise<BackendProbe>
  /** Paths of the program that a sandbox must show, read-only. */
  programPaths(): Promise<readonly string[]>
  /** Gets a program ready that executes turns of one agent, one after the other. Never throws: the first turn tells. */
  open(setup: ProgramSetup): Program
}

export type BackendProbe =
  /** With the program's version, where it can be told without starting it. */
  | { readonly isUsable: true; readonly version?: string }
  | { readonly isUsable: false; readonly reason: string }

export interface Capabilities {
  readonly efforts: readonly string[]
  readonly tiers: readonly string[]
  readonly hasFastMode: boolean
  readonly canSteer: boolean
  readonly canResume: boolean
  /** Whether the program holds the model to the schema. We check the answer in every case. */
  readonly structuredOutput: 'validated' | 'constrained' | 'none'
}

export interface ProgramSetup {
  readonly model: string
  /** Empty: the model's own default. */
  readonly effort: string
  readonly tier: string
  readonly fastMode: boolean
  /** Persona, rules of the house and the repository's own guide; appended to the program's coding prompt. */
  readonly instructions: string
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined
  /** Goes on with this session; a new one when absent. */
  readonly session: SessionRef | undefined
  readonly workDir: string
  /** The program's home: configuration and transcripts. Private to the agent. */
  readonly stateDir: string
  /** The model gateway and the agent's own token: never a provider's key. */
  readonly gateway: { readonly url: string; readonly token: string }
  /** Tools of ours, over MCP with a bearer token. */
  readonly tools: readonly ToolServer[]
  readonly sandbox: Sandbox
  /** Variables of the environment resource. */
  readonly variables: Readonly<Record<string, string>>
  /** For every text that the program's turns tell. */
  readonly hideSecrets: HideSecrets
}

export type HideSecrets = (text: string) => string

export interface ToolServer {
  readonly name: string
  readonly url: string
  readonly token: string
}

/** Names a conversation, for the same backend on any host. */
export interface SessionRef {
  readonly backend: string
  readonly id: string
  /** The transcript's path below the state directory; saved and restored by the runner. */
  readonly transcript: string
}

export interface Program {
  /** False once the process is gone or can no longer be trusted with another turn. */
  readonly isAlive: boolean
  /** One turn at a time. */
  startTurn(request: TurnRequest): Turn
  /** Ends the program and everything that it started. A turn in progress ends as killed. */
  close(): Promise<void>
}

export interface TurnRequest {
  readonly prompt: string
  readonly limits: TurnLimits
}

export interface TurnLimits {
  /** 0 means no limit. */
  readonly wallMs: number
  /** Without any event for so long the turn is given up; 0 means no limit. */
  readonly idleMs: number
}

export interface Turn {
  /** Ends when the turn does. */
  readonly events: AsyncIterable<TurnEvent>
  /** Never rejects: every end is data, so that the service can store it and decide what follows. */
  readonly result: Promise<TurnResult>
  /** Asks the program to stop now and flush. One that does not goes on until a limit or a kill ends it. */
  interrupt(): Promise<void>
  /** Tells the agent something in mid-turn. False when the turn can no longer take it in. */
  steer(text: string): Promise<boolean>
}

/** A program that has reached a limit and does not stop when asked is ended after this. */
export const LIMIT_PATIENCE_MS = 1_000

export type TurnEvent =
  | { readonly type: 'started'; readonly session: SessionRef; readonly model: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'tool-started'; readonly id: string; readonly tool: string; readonly input: string }
  | {
      readonly type: 'tool-ended'
      readonly id: string
      readonly tool: string
      readonly input: string
      readonly output: string
      readonly isError: boolean
    }
  | { readonly type: 'retrying'; readonly message: string }
  | { readonly type: 'warning'; readonly message: string }

export type TurnResult = { readonly text: string; readonly session: SessionRef | undefined } & (
  | { readonly status: 'completed'; readonly output: unknown }
  | { readonly status: 'interrupted' | 'killed' }
  | { readonly status: 'failed'; readonly error: TurnError }
)

export type ErrorKind =
  | 'rate-limit'
  | 'overloaded'
  | 'quota'
  | 'budget'
  | 'auth'
  | 'context-length'
  | 'bad-request'
  | 'refused'
  | 'network'
  | 'protocol'
  | 'crash'
  | 'timeout'
  | 'output-invalid'
  | 'session-lost'
  | 'tools-unavailable'
  | 'program-missing'

export interface TurnError {
  readonly kind: ErrorKind
  /** For the person who reads the agent's status. Holds no secret. */
  readonly message: string
  readonly httpStatus?: number
}

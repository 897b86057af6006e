import type { Sandbox } from '../sandbox/sandbox.ts'

/** Drives one kind of coding agent. It has no durable state: what a later turn needs is in the session reference. */
export interface Backend {
  /** The catalog's name for it: `a`, `b`. */
  readonly name: string
  capabilities(model: string): Capabilities
  /** Reports what is missing and how to install it, before the first run needs it. */
  probe(): Promise<BackendProbe>
  /** Program paths that must be visible in the sandbox, read-only. */
  programPaths(): Promise<readonly string[]>
  /**
   * Prepares a program that executes the turns of one agent, one at a time. Never throws: errors are reported by the
   * first turn.
   */
  open(setup: ProgramSetup): Program
}

export type BackendProbe =
  /** With the program's version, if it can be determined without starting it. */
  | { readonly isUsable: true; readonly version?: string }
  | { readonly isUsable: false; readonly reason: string }

export interface Capabilities {
  readonly efforts: readonly string[]
  readonly tiers: readonly string[]
  readonly hasFastMode: boolean
  readonly canSteer: boolean
  readonly canResume: boolean
  /** Whether the program makes the model follow the schema. The answer is checked in any case. */
  readonly structuredOutput: 'validated' | 'constrained' | 'none'
}

export interface ProgramSetup {
  readonly model: string
  /** Empty: the model's default. */
  readonly effort: string
  readonly tier: string
  readonly fastMode: boolean
  /** Persona, house rules and the repository's own guide, appended to the program's coding prompt. */
  readonly instructions: string
  readonly outputSchema: Readonly<Record<string, unknown>> | undefined
  /** The session to continue; absent for a new one. */
  readonly session: SessionRef | undefined
  readonly workDir: string
  /** The program's home, with configuration and transcripts. Private to the agent. */
  readonly stateDir: string
  /** The model gateway and the agent's own token, never a provider's key. */
  readonly gateway: { readonly url: string; readonly token: string }
  /** Our tools, over MCP with a bearer token. */
  readonly tools: readonly ToolServer[]
  readonly sandbox: Sandbox
  /** Variables of the environment resource. */
  readonly variables: Readonly<Record<string, string>>
  /** Applied to every text the program's turns report. */
  readonly hideSecrets: HideSecrets
}

export type HideSecrets = (text: string) => string

export interface ToolServer {
  readonly name: string
  readonly url: string
  readonly token: string
}

/** Identifies a conversation, for the same backend on any host. */
export interface SessionRef {
  readonly backend: string
  readonly id: string
  /** The transcript's path below the state directory. The runner saves and restores it. */
  readonly transcript: string
}

export interface Program {
  /** False once the process has exited or cannot be trusted with another turn. */
  readonly isAlive: boolean
  /** One turn at a time. */
  startTurn(request: TurnRequest): Turn
  /** Ends the program and everything it started. A turn in progress ends as killed. */
  close(): Promise<void>
}

export interface TurnRequest {
  readonly prompt: string
  readonly limits: TurnLimits
}

export interface TurnLimits {
  /** 0 means no limit. */
  readonly wallMs: number
  /** Maximum time without an event before the turn is given up; 0 means no limit. */
  readonly idleMs: number
}

export interface Turn {
  /** Ends with the turn. */
  readonly events: AsyncIterable<TurnEvent>
  /** Never rejects: every outcome is data, so that the service can store it and decide what follows. */
  readonly result: Promise<TurnResult>
  /** Asks the program to stop now and flush. One that doesn't continues until a limit or a kill ends it. */
  interrupt(): Promise<void>
  /** Sends the agent a message mid-turn. False if the turn can no longer accept it. */
  steer(text: string): Promise<boolean>
}

/** How long a program that reached a limit may take to stop before it is killed. */
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
  /** For the person reading the agent's status. Contains no secrets. */
  readonly message: string
  readonly httpStatus?: number
}

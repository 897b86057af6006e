import type { Program } from '../backends/backend.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** An agent's place on this runner: its sandbox and the program in it, kept from one turn to the next. */
export class Desk {
  /** What the program was started with. A different model or prompt needs a new program. */
  readonly fingerprint: string
  /** Valid at the front while a run of this agent is in progress. */
  readonly token: string
  readonly sandbox: Sandbox
  readonly program: Program
  /** Whether the program continues an earlier conversation. */
  hasConversation: boolean
  /** The last saved state of conversation and workspace. */
  snapshot: string
  #closing: Promise<void> | undefined

  constructor(facts: {
    fingerprint: string
    token: string
    sandbox: Sandbox
    program: Program
    snapshot: string
    hasConversation: boolean
  }) {
    this.fingerprint = facts.fingerprint
    this.token = facts.token
    this.sandbox = facts.sandbox
    this.program = facts.program
    this.snapshot = facts.snapshot
    this.hasConversation = facts.hasConversation
  }

  /** Resolves when no process of the agent is left. */
  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    try {
      await this.program.close()
    } finally {
      await this.sandbox.dispose()
    }
  }
}

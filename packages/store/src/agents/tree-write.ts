import type { AgentChange } from '@skein/core'
import type { AuditBasics } from '../audit/audit-store.ts'

/** Everything a command writes to a tree. */
export interface TreeWrite {
  readonly actor: string
  readonly changes: readonly AgentChange[]
  readonly audit?: AgentAudit
  readonly traces?: TreeTraces
  /** The command's record, for retries. */
  readonly command: {
    readonly id: Uint8Array
    readonly requestSha256: Uint8Array
    readonly answer: unknown
  }
}

/** The spans that messages and runs come from, as in the header `traceparent`. */
export interface TreeTraces {
  /** Of the command itself, for the messages it sends. */
  readonly ofCommand: string | undefined
  /** Of each run it queues, by its agent's id. */
  readonly ofRuns: ReadonlyMap<string, string>
}

/** The audit entry of a command. Its name is that of the agent. */
export type AgentAudit = AuditBasics

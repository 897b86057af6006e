import type { Server } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import type { MachineLimit } from '@skein/contract/facts'
import type { AddressRange } from '@skein/core'
import type { DiskWatch } from './limits/disk-watch.ts'

export type SandboxLevel = 'process' | 'bubblewrap'

/** What the inside can reach. The runner's own front is always reachable, because agents cannot work without it. */
export type NetworkPolicy = 'none' | 'gateway' | 'open'

export const networkPolicies: readonly NetworkPolicy[] = ['none', 'gateway', 'open']

/** What a sandbox gets: the host's network instead of a policy that cannot be enforced. */
export type SandboxNetwork = NetworkPolicy | 'host'

/** Why a policy cannot be enforced on this host, and how to fix it; empty if it can. */
export type NetworkProblems = Readonly<Record<NetworkPolicy, string>>

/** Why a limit cannot be enforced on this host, and how to fix it; empty if it can. */
export type LimitProblems = Readonly<Record<MachineLimit, string>>

/** For all processes of a sandbox together; 0 means no limit. */
export interface SandboxLimits extends Readonly<Record<MachineLimit, number>> {
  /** Maximum size of a file. */
  readonly fileSizeMib: number
}

export interface SandboxSpec {
  /** Names the sandbox in logs and on the host. */
  readonly id: string
  /** The two writable directories. */
  readonly workDir: string
  readonly stateDir: string
  /** Visible at the same path, read-only: the agent's program, the mirror of a repository. */
  readonly readOnlyPaths: readonly string[]
  readonly network: SandboxNetwork
  /** Where the runner's front is: on this loopback port, in whatever network the sandbox has. */
  readonly front: FrontAddress
  readonly limits: SandboxLimits
}

export interface FrontAddress {
  readonly port: number
  /** Serves a socket that listens on the port in a sandbox's own network. */
  readonly serve: (listener: Server) => void
  /** Prefix of tokens for this address; absent if several sandboxes share it. */
  readonly mark?: string
}

export interface Command {
  readonly program: string
  readonly args: readonly string[]
  /** The complete environment: nothing is inherited from the runner. */
  readonly env: Readonly<Record<string, string>>
  readonly workDir: string
}

/** In some sandboxes the code of a program ended by a signal is 128 plus the signal's number, as in a shell. */
export interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface SandboxProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Never rejects: a program that cannot be started ends with code 127. */
  readonly ended: Promise<ProcessEnd>
  /** Ends the whole tree at once, not only the first process. */
  kill(): void
}

/** Where one agent's processes run. Only `spawn` with pipes, so that a remote one needs a stream and no port. */
export interface Sandbox {
  readonly level: SandboxLevel
  readonly spec: SandboxSpec
  /** A folder in memory, a new one for each program. Absent if the level has none. */
  readonly memoryDir?: string
  spawn(command: Command): SandboxProcess
  /** Why all its programs were ended and no others are started: it exceeded its disk limit. Empty otherwise. */
  findBreach(): string
  /** How many of its processes the kernel killed for exceeding their memory limit. */
  countMemoryKills(): number
  /** Resolves when none of its processes is left. */
  dispose(): Promise<void>
}

export type Probe =
  | {
      readonly isUsable: true
      readonly limits: LimitProblems
      readonly networks: NetworkProblems
      /** Other notes about it on this host. */
      readonly notes: readonly string[]
    }
  | { readonly isUsable: false; readonly reason: string }

/** Shared by all sandboxes of a runner. */
export interface SandboxHost {
  /** Non-public ranges that agents with an open network may reach. */
  readonly allowedRanges: readonly AddressRange[]
  readonly disk: DiskWatch
  /** Sandboxes without a way out, to be made ahead: for a front at this port, so many. */
  readonly ready: { readonly port: number; readonly count: number }
}

export interface SandboxProvider {
  readonly level: SandboxLevel
  /** Reports problems and how to fix them, instead of failing at the first run. */
  probe(): Promise<Probe>
  create(spec: SandboxSpec): Promise<Sandbox>
  /** Makes ahead what a sandbox will need. */
  prepare(): void
  /** A sandbox will be created in a moment. */
  expectOne(): void
  /** Ends what was made ahead. */
  close(): Promise<void>
}

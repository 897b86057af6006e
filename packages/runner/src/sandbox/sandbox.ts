import type { Readable, Writable } from 'node:stream'
import type { MachineLimit } from '@skein/contract/facts'
import type { AddressRange } from '@skein/core'
import type { DiskWatch } from './limits/disk-watch.ts'

export type SandboxLevel = 'process' | 'bubblewrap'

/** What the inside can reach. The runner's own front is reachable in every case: an agent cannot work without it. */
export type NetworkPolicy = 'none' | 'gateway' | 'open'

export const networkPolicies: readonly NetworkPolicy[] = ['none', 'gateway', 'open']

/** What a sandbox is given: in place of a policy that it cannot hold, the network of the host as it is. */
export type SandboxNetwork = NetworkPolicy | 'host'

/** Why a sandbox cannot hold a policy on this host, and what to do about it; empty when it can. */
export type NetworkProblems = Readonly<Record<NetworkPolicy, string>>

/** Why a sandbox cannot hold a limit on this host, and what to do about it; empty when it can. */
export type LimitProblems = Readonly<Record<MachineLimit, string>>

/** For all processes of a sandbox together; 0 for no limit. */
export interface SandboxLimits extends Readonly<Record<MachineLimit, number>> {
  /** The largest file that may be written. */
  readonly fileSizeMib: number
}

export interface SandboxSpec {
  /** Names the sandbox in logs and on the host. */
  readonly id: string
  /** The two places that may be written. */
  readonly workDir: string
  readonly stateDir: string
  /** Seen inside at the same path, not writable: the agent's program, the mirror of a repository. */
  readonly readOnlyPaths: readonly string[]
  readonly network: SandboxNetwork
  /** Where the runner's front listens: on this port of the loopback, and on this socket for a sandbox without network. */
  readonly front: FrontAddress
  readonly limits: SandboxLimits
}

export interface FrontAddress {
  readonly port: number
  readonly socketPath: string
  /** What tokens for this address begin with; absent where it is not one sandbox’s own. */
  readonly mark?: string
}

export interface Command {
  readonly program: string
  readonly args: readonly string[]
  /** The whole environment: nothing is inherited from the runner. */
  readonly env: Readonly<Record<string, string>>
  readonly workDir: string
}

/** In some sandboxes a program that a signal ended has the code 128 plus the signal's number, as in a shell. */
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

/** Where the processes of one agent live. Only `spawn` with pipes, so that a remote one needs a stream and no port. */
export interface Sandbox {
  readonly level: SandboxLevel
  readonly spec: SandboxSpec
  spawn(command: Command): SandboxProcess
  /** Why all its programs were ended and no other is started: it took more disk than it may. Empty while it has not. */
  findBreach(): string
  /** How many of its processes the kernel has ended because they used more memory than they may. */
  countMemoryKills(): number
  /** Resolves when none of its processes is left. */
  dispose(): Promise<void>
}

export type Probe =
  | {
      readonly isUsable: true
      readonly limits: LimitProblems
      readonly networks: NetworkProblems
      /** What else to know about it on this host. */
      readonly notes: readonly string[]
    }
  | { readonly isUsable: false; readonly reason: string }

/** What all sandboxes of a runner share. */
export interface SandboxHost {
  /** Ranges that agents with an open network may reach although they are not public. */
  readonly allowedRanges: readonly AddressRange[]
  readonly disk: DiskWatch
}

export interface SandboxProvider {
  readonly level: SandboxLevel
  /** Says why not and what to do about it, rather than failing at the first run. */
  probe(): Promise<Probe>
  create(spec: SandboxSpec): Promise<Sandbox>
}

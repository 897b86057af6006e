import type { Transport } from '@skein/client'
import type { Backend } from '../backends/backend.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Gate } from '../daemon/gate.ts'
import type { LeaseKeeper } from '../daemon/lease-keeper.ts'
import type { ModelGateway } from '../gateway/model-gateway.ts'
import type { GitFront } from '../git-front/git-front.ts'
import type { FrontAddress, SandboxLevel, SandboxLimits, SandboxProvider } from '../sandbox/sandbox.ts'
import type { ToolsEndpoint } from '../tools/tools-endpoint.ts'
import type { MirrorCache } from '../workspace/mirror-cache.ts'
import type { WarmDesks } from './warm-desks.ts'

/** A backend and where its program finds the model gateway. */
export interface OfferedBackend {
  readonly backend: Backend
  readonly gatewayUrl: string
  /** The provider that it may call; either, when absent. */
  readonly provider?: 'anthropic' | 'openai'
}

/** What every run of this runner works with. */
export interface RunnerParts {
  readonly transport: Transport
  /** The service under a run's own key. */
  readonly transportFor: (runKey: string) => Transport
  readonly leases: LeaseKeeper
  readonly starts: Gate
  readonly desks: WarmDesks
  readonly front: FrontAddress
  readonly gateway: ModelGateway
  readonly tools: ToolsEndpoint
  readonly gitFront: GitFront
  readonly mirrors: MirrorCache
  readonly blobs: BlobStore
  readonly agentsDir: string
  readonly backends: ReadonlyMap<string, OfferedBackend>
  readonly sandboxes: ReadonlyMap<SandboxLevel, SandboxProvider>
  readonly limits: Omit<SandboxLimits, 'memoryMib'>
  /** How often unfinished work and the conversation are saved during a turn, at most. */
  readonly checkpointMs: number
  readonly now: () => number
  readonly onEvent: (event: RunnerEvent) => void
}

/** For logs and metrics. */
export type RunnerEvent =
  | {
      readonly type: 'model-called'
      readonly costUsd: number
      readonly isFirst: boolean
      readonly sinceStartMs: number
    }
  | { readonly type: 'run-began' }
  | { readonly type: 'run-ended' }
  /** Something that this runner was to offer and cannot. */
  | { readonly type: 'missing'; readonly what: string; readonly reason: string }
  | { readonly type: 'unreachable'; readonly message: string }
  | { readonly type: 'problem'; readonly agent: string; readonly message: string }

import type { Transport } from '@skein/client'
import type { BlobStore } from '@skein/host/blobs'
import type { Front } from '../front/front.ts'
import type { Gate } from '@skein/host'
import type { LeaseKeeper } from '../leases/lease-keeper.ts'
import type { Offers } from '../offers/offers.ts'
import type { ModelGateway } from '../gateway/model-gateway.ts'
import type { GitFront } from '../git-front/git-front.ts'
import type { FrontAddress, SandboxLimits } from '../sandbox/sandbox.ts'
import type { ToolsEndpoint } from '../tools/tools-endpoint.ts'
import type { MirrorCache } from '../git/mirror-cache.ts'
import type { RunnerEvent } from '../runner-event.ts'
import type { WarmDesks } from './warm-desks.ts'

/** Shared by all runs of this runner. */
export interface RunnerParts {
  readonly transport: Transport
  /** The service, called with a run's own key. */
  readonly transportFor: (runKey: string) => Transport
  readonly leases: LeaseKeeper
  readonly starts: Gate
  readonly desks: WarmDesks
  readonly front: FrontAddress
  readonly doors: Pick<Front, 'openDoor'>
  readonly gateway: ModelGateway
  readonly tools: ToolsEndpoint
  readonly gitFront: GitFront
  readonly mirrors: MirrorCache
  readonly blobs: BlobStore
  /** The runner's own keys, which must never appear in a report. */
  readonly secrets: readonly string[]
  readonly agentsDir: string
  readonly offers: Offers
  /** The operator's maximum, whatever a VM profile says. */
  readonly limits: Pick<SandboxLimits, 'processes' | 'fileSizeMib'>
  /** Minimum interval for saving unfinished work and the conversation during a turn. */
  readonly checkpointMs: number
  readonly now: () => number
  readonly onEvent: (event: RunnerEvent) => void
}

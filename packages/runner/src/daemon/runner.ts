import { mkdir } from 'node:fs/promises'
import * as paths from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createTransport, type Transport } from '@skein/client'
import { pollRuns, type Assignment } from '@skein/contract'
import { openBlobStore } from '../blobs/open-blob-store.ts'
import { offeredSandboxes, type RunnerConfig } from '../config.ts'
import { Front } from '../front/front.ts'
import { ModelGateway } from '../gateway/model-gateway.ts'
import { GitFront } from '../git-front/git-front.ts'
import type { RunnerEvent, RunnerParts } from '../run/parts.ts'
import { RunExecution } from '../run/run-execution.ts'
import { WarmDesks } from '../run/warm-desks.ts'
import { findSandboxProvider } from '../sandbox/providers.ts'
import type { FrontAddress, SandboxLevel, SandboxProvider } from '../sandbox/sandbox.ts'
import { ToolsEndpoint } from '../tools/tools-endpoint.ts'
import { evictOldest } from '../workspace/disk.ts'
import { MirrorCache } from '../workspace/mirror-cache.ts'
import { offerBackends } from './backends.ts'
import { Gate } from './gate.ts'
import { LeaseKeeper } from './lease-keeper.ts'

const POLL_MS = 20_000
const HAND_BACK_MS = 60_000
const POLL_RETRY_MS = 1_000
const MIB = 1024 * 1024
/** Work that could not be saved upstream is on this host alone: it is kept for a week even when disk is short. */
const UNSAVED_KEPT_MS = 7 * 86_400_000

export interface RunnerOptions {
  readonly config: RunnerConfig
  readonly onEvent: (event: RunnerEvent) => void
}

/** Takes runs from the service and executes them, until it is told to stop. */
export class Runner {
  readonly #config: RunnerConfig
  readonly #parts: RunnerParts
  readonly #front: Front
  readonly #active = new Map<RunExecution, Promise<void>>()
  readonly #draining = new AbortController()
  readonly #closing = new AbortController()
  readonly #loops: Promise<void>[] = []

  private constructor(config: RunnerConfig, parts: RunnerParts, front: Front) {
    this.#config = config
    this.#parts = parts
    this.#front = front
  }

  /** Checks what it offers, and says what is missing, before it takes the first run. */
  static async start({ config, onEvent }: RunnerOptions): Promise<Runner> {
    const dataDir = paths.resolve(config.SKEIN_RUNNER_DATA_DIR)
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const blobs = openBlobStore(config.SKEIN_RUNNER_BLOBS || `file:${paths.join(dataDir, 'blobs')}`)
    const mirrors = new MirrorCache({
      dir: paths.join(dataDir, 'mirrors'),
      allowsLocalRepos: config.SKEIN_RUNNER_LOCAL_REPOS,
    })
    const gateway = new ModelGateway({ providers: providersOf(config), now: Date.now })
    const tools = new ToolsEndpoint()
    const gitFront = new GitFront({ mirrors, hooksDir: paths.join(dataDir, 'hooks') })
    const front = new Front({ model: gateway.handle, tools: tools.handle, git: gitFront.handle })
    const address = await front.listen(paths.join(dataDir, 'front.sock'))
    const transport = transportOf(config, config.SKEIN_API_KEY)
    const parts: RunnerParts = {
      transport,
      // An agent that is over a quota should hear so, not wait.
      transportFor: (runKey) => transportOf(config, runKey, 1),
      leases: new LeaseKeeper(transport, Date.now),
      starts: new Gate(config.SKEIN_RUNNER_STARTS),
      desks: new WarmDesks({ warmMs: config.SKEIN_RUNNER_WARM_MS, room: config.SKEIN_RUNNER_CAPACITY }),
      front: address,
      gateway,
      tools,
      gitFront,
      mirrors,
      blobs,
      agentsDir: paths.join(dataDir, 'agents'),
      backends: await offerBackends(config, address, onEvent),
      sandboxes: await offerSandboxes(config, onEvent),
      limits: { processes: config.SKEIN_RUNNER_MAX_PROCESSES, fileSizeMib: config.SKEIN_RUNNER_MAX_FILE_MIB },
      checkpointMs: config.SKEIN_RUNNER_CHECKPOINT_MS,
      now: Date.now,
      onEvent,
    }
    const runner = new Runner(config, parts, front)
    runner.#loops.push(runner.#poll(), parts.leases.keep(runner.#closing.signal))
    return runner
  }

  get activeRuns(): number {
    return this.#active.size
  }

  get warmDesks(): number {
    return this.#parts.desks.size
  }

  get address(): FrontAddress {
    return this.#parts.front
  }

  get offers(): { readonly backends: readonly string[]; readonly sandboxes: readonly string[] } {
    return { backends: [...this.#parts.backends.keys()], sandboxes: [...this.#parts.sandboxes.keys()] }
  }

  /** Lets the runs end, hands back what has not ended in time, and leaves nothing behind. */
  async stop(): Promise<void> {
    this.#draining.abort()
    const all = () => Promise.all(this.#active.values())
    const inTime = new AbortController()
    await Promise.race([
      all().then(() => inTime.abort()),
      pause(this.#config.SKEIN_RUNNER_DRAIN_MS, undefined, { signal: inTime.signal }).catch(() => {}),
    ])
    for (const run of this.#active.keys()) run.stop('hand-back')
    // A step that hangs must not keep us: what is left is tried elsewhere when its lease has run out.
    const handedBack = new AbortController()
    await Promise.race([
      all().then(() => handedBack.abort()),
      pause(HAND_BACK_MS, undefined, { signal: handedBack.signal }).catch(() => {}),
    ])
    for (const run of this.#active.keys()) run.stop('lost')
    this.#closing.abort()
    await Promise.all(this.#loops)
    await this.#parts.desks.closeAll()
    await this.#front.close()
  }

  async #poll(): Promise<void> {
    const { signal } = this.#draining
    while (!signal.aborted) {
      const room = this.#config.SKEIN_RUNNER_CAPACITY - this.#active.size
      if (room <= 0) await Promise.race([...this.#active.values(), aborted(signal)])
      else if (!(await this.#takeRuns(room, signal))) {
        await pause(POLL_RETRY_MS, undefined, { signal }).catch(() => {})
      }
    }
  }

  async #takeRuns(capacity: number, signal: AbortSignal): Promise<boolean> {
    const pools = this.#config.SKEIN_RUNNER_POOLS.split(',').filter((pool) => pool !== '')
    try {
      const body = { capacity, waitMs: POLL_MS, ...(pools.length > 0 && { pools }) }
      const { runs } = await this.#parts.transport.call(pollRuns, { body, signal, retries: 0 })
      for (const assignment of runs) this.#begin(assignment)
      return true
    } catch (error) {
      if (!signal.aborted) this.#parts.onEvent({ type: 'unreachable', message: messageOf(error) })
      return false
    }
  }

  #begin(assignment: Assignment): void {
    const run = new RunExecution(this.#parts, assignment)
    this.#parts.onEvent({ type: 'run-began' })
    const ended = run.run().finally(() => {
      this.#active.delete(run)
      this.#parts.onEvent({ type: 'run-ended' })
      void this.#tidy()
    })
    this.#active.set(run, ended)
  }

  /** Workspaces that nobody has used for long make room for new ones. What is in them is saved upstream. */
  async #tidy(): Promise<void> {
    const maxBytes = this.#config.SKEIN_RUNNER_DISK_MIB * MIB
    const options = {
      maxBytes,
      unsavedForMs: UNSAVED_KEPT_MS,
      nowMs: this.#parts.now(),
      keeps: this.#parts.desks.agentHashes,
    }
    await evictOldest(this.#parts.agentsDir, options).catch((error: unknown) =>
      this.#parts.onEvent({ type: 'problem', agent: '', message: messageOf(error) }),
    )
  }
}

function transportOf(config: RunnerConfig, apiKey: string, retries = 4): Transport {
  return createTransport({ baseUrl: config.SKEIN_URL, apiKey, retries, userAgent: 'skein-runner' })
}

function providersOf(config: RunnerConfig) {
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, OPENAI_API_KEY, OPENAI_BASE_URL } = config
  return {
    ...(ANTHROPIC_API_KEY !== '' && { anthropic: { url: ANTHROPIC_BASE_URL, apiKey: ANTHROPIC_API_KEY } }),
    ...(OPENAI_API_KEY !== '' && { openai: { url: OPENAI_BASE_URL, apiKey: OPENAI_API_KEY } }),
  }
}

async function offerSandboxes(
  config: RunnerConfig,
  onEvent: (event: RunnerEvent) => void,
): Promise<ReadonlyMap<SandboxLevel, SandboxProvider>> {
  const usable = new Map<SandboxLevel, SandboxProvider>()
  for (const level of offeredSandboxes(config)) {
    const provider = findSandboxProvider(level)
    const probe = await provider.probe()
    if (probe.isUsable) usable.set(level, provider)
    else onEvent({ type: 'missing', what: `the sandbox ${level}`, reason: probe.reason })
  }
  return usable
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

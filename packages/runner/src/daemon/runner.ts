import { mkdir } from 'node:fs/promises'
import * as paths from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createTransport, type Transport } from '@skein/client'
import { pollRuns, type Assignment } from '@skein/contract'
import { Gate } from '@skein/host'
import { checkBlobStore, openBlobStore, watchBlobStore } from '@skein/host/blobs'
import { readRanges, type RunnerConfig } from '../config.ts'
import { Front } from '../front/front.ts'
import { ModelGateway } from '../gateway/model-gateway.ts'
import { GitFront } from '../git-front/git-front.ts'
import { reportSparingly } from '../report-sparingly.ts'
import type { RunnerParts } from '../run/parts.ts'
import { nameRun, type RunnerEvent } from '../runner-event.ts'
import { RunExecution } from '../run/run-execution.ts'
import { inRunSpan } from '../run/run-spans.ts'
import { WarmDesks } from '../run/warm-desks.ts'
import { createCgroup } from '../sandbox/limits/cgroup.ts'
import { DiskWatch } from '../sandbox/limits/disk-watch.ts'
import type { FrontAddress } from '../sandbox/sandbox.ts'
import { ToolsEndpoint } from '../tools/tools-endpoint.ts'
import { evictOldest } from '../workspace/disk.ts'
import { HostGit } from '../git/host-git.ts'
import { MirrorCache } from '../git/mirror-cache.ts'
import { RepoCredentials } from '../git/repo-credentials.ts'
import { UpstreamGuard } from '../git/upstream-guard.ts'
import { findDiskShortage } from './disk-shortage.ts'
import { LeaseKeeper } from '../leases/lease-keeper.ts'
import { Offers } from '../offers/offers.ts'
import { readVersion } from '../version.ts'
import { removeLeftovers } from './remove-leftovers.ts'

const BLOBS = 'SKEIN_RUNNER_BLOBS'
const POLL_MS = 20_000
const POLL_RETRY_MS = 1_000
/** How often a runner that takes no runs reports in: the service considers it gone after 90 seconds. */
const PRESENCE_MS = 30_000
/** How often it checks what it offers. More often if something is missing, because somebody may be fixing it. */
const LOOK_MS = 300_000
const LOOK_WHEN_LACKING_MS = 30_000
const MIB = 1024 * 1024
const DAY_MS = 86_400_000
/** How many git processes outside sandboxes may use their full memory at the same time. */
const GIT_GROUP_FACTOR = 4
/**
 * Work that could not be saved upstream exists only on this host: it is kept for a week even if disk space is short.
 */
const UNSAVED_KEPT_MS = 7 * DAY_MS

export interface RunnerOptions {
  readonly config: RunnerConfig
  readonly onEvent: (event: RunnerEvent) => void
}

/** Takes runs from the service and executes them until told to stop. */
export class Runner {
  readonly #config: RunnerConfig
  readonly #parts: RunnerParts
  readonly #front: Front
  readonly #endGit: () => Promise<void>
  readonly #active = new Map<RunExecution, Promise<void>>()
  readonly #draining = new AbortController()
  readonly #closing = new AbortController()
  readonly #loops: Promise<void>[] = []
  #toldAt = -Infinity

  private constructor(config: RunnerConfig, parts: RunnerParts, front: Front, endGit: () => Promise<void>) {
    this.#config = config
    this.#parts = parts
    this.#front = front
    this.#endGit = endGit
  }

  /** Checks what it offers and reports what is missing before it takes the first run. */
  static async start({ config, onEvent }: RunnerOptions): Promise<Runner> {
    if (process.getuid?.() === 0) throw new Error('A runner never runs as root: see leaveRoot')
    const dataDir = paths.resolve(config.SKEIN_RUNNER_DATA_DIR)
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const blobs = watchBlobStore(
      openBlobStore({
        setting: BLOBS,
        address: config[BLOBS] || `file:${paths.join(dataDir, 'blobs')}`,
      }),
      (operation) => onEvent({ type: 'blob-failed', operation }),
    )
    await checkBlobStore(blobs, BLOBS)
    const gitGroup = await createCgroup(`git-${process.pid}`, {
      memoryMib: GIT_GROUP_FACTOR * config.SKEIN_RUNNER_GIT_MIB,
      cpus: 0,
      processes: 0,
    })
    const git = new HostGit({ memoryMib: config.SKEIN_RUNNER_GIT_MIB }, gitGroup)
    const transport = transportOf(config, config.SKEIN_API_KEY)
    const mirrors = new MirrorCache({
      git,
      mintCredential: new RepoCredentials(transport, Date.now).mint,
      dir: paths.join(dataDir, 'mirrors'),
      allowsLocalRepos: config.SKEIN_RUNNER_LOCAL_REPOS,
      guard: new UpstreamGuard({ allowed: readRanges(config, 'SKEIN_RUNNER_REPO_RANGES') }),
    })
    const gateway = new ModelGateway({
      providers: providersOf(config),
      now: Date.now,
      bodyBytes: config.SKEIN_RUNNER_BODIES_MIB * MIB,
    })
    const tools = new ToolsEndpoint()
    const gitFront = new GitFront({
      mirrors,
      hooksDir: paths.join(dataDir, 'hooks'),
      maxPushBytes: config.SKEIN_RUNNER_MAX_PUSH_MIB * MIB,
    })
    const front = new Front(
      { model: gateway, tools, git: gitFront },
      {
        onError: reportSparingly((error) =>
          onEvent({ type: 'problem', message: `an agent's request failed: ${messageOf(error)}` }),
        ),
      },
    )
    const address = await front.listen()
    const disk = new DiskWatch({
      minFreeBytes: config.SKEIN_RUNNER_FREE_MIB * MIB,
      maxTotalBytes: config.SKEIN_RUNNER_DISK_MIB * MIB,
    })
    const offers = new Offers({
      config,
      front: address,
      disk,
      onEvent,
      findKeyProblem: (provider) => gateway.findKeyProblem(provider),
    })
    await offers.look()
    const parts: RunnerParts = {
      transport,
      // An agent over a quota should be told, not wait.
      transportFor: (runKey) => transportOf(config, runKey, 1),
      leases: new LeaseKeeper(transport, Date.now),
      starts: new Gate(config.SKEIN_RUNNER_STARTS),
      desks: new WarmDesks({ warmMs: config.SKEIN_RUNNER_WARM_MS, room: config.SKEIN_RUNNER_CAPACITY }),
      front: address,
      doors: front,
      gateway,
      tools,
      gitFront,
      mirrors,
      blobs,
      secrets: [config.SKEIN_API_KEY, config.ANTHROPIC_API_KEY, config.OPENAI_API_KEY],
      agentsDir: paths.join(dataDir, 'agents'),
      offers,
      limits: { processes: config.SKEIN_RUNNER_MAX_PROCESSES, fileSizeMib: config.SKEIN_RUNNER_MAX_FILE_MIB },
      checkpointMs: config.SKEIN_RUNNER_CHECKPOINT_MS,
      now: Date.now,
      onEvent,
    }
    const runner = new Runner(config, parts, front, async () => {
      await git.close()
      await gitGroup.remove()
    })
    runner.#loops.push(
      runner.#poll(),
      runner.#keepLooking(),
      runner.#keepRemoving(),
      parts.leases.keep(runner.#closing.signal),
    )
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
    const { backends, sandboxes } = this.#parts.offers
    return { backends: [...backends.keys()], sandboxes: [...sandboxes.keys()] }
  }

  /** Lets runs finish, hands back those that don't in time, and leaves nothing behind. */
  async stop(): Promise<void> {
    this.#draining.abort()
    const all = () => Promise.all(this.#active.values())
    const inTime = new AbortController()
    await Promise.race([
      all().then(() => inTime.abort()),
      pause(this.#config.SKEIN_RUNNER_DRAIN_MS, undefined, { signal: inTime.signal }).catch(() => {}),
    ])
    for (const run of this.#active.keys()) run.stop('hand-back')
    // A step that hangs must not block the stop: its run is retried elsewhere when the lease expires.
    const handedBack = new AbortController()
    await Promise.race([
      all().then(() => handedBack.abort()),
      pause(this.#config.SKEIN_RUNNER_HAND_BACK_MS, undefined, { signal: handedBack.signal }).catch(() => {}),
    ])
    for (const run of this.#active.keys()) run.stop('lost')
    this.#closing.abort()
    await Promise.all(this.#loops)
    await this.#parts.desks.closeAll()
    await this.#front.close()
    await Promise.all([this.#parts.gateway.stop(), this.#parts.offers.close(), this.#endGit()])
  }

  async #poll(): Promise<void> {
    const { signal } = this.#draining
    while (!signal.aborted) {
      // A runner that cannot execute anything takes no runs, but reports what it lacks.
      const canExecute = (await this.#hasDisk()) && this.#parts.offers.canExecute
      const room = canExecute ? this.#config.SKEIN_RUNNER_CAPACITY - this.#active.size : 0
      if (room <= 0) await this.#awaitRoom(signal)
      else if (!(await this.#takeRuns(room, signal))) await rest(POLL_RETRY_MS, signal)
    }
  }

  /** A shortage of disk space is reported in the offers. */
  async #hasDisk(): Promise<boolean> {
    const { agentsDir, offers } = this.#parts
    const shortage = await findDiskShortage({
      dir: paths.dirname(agentsDir),
      freeMib: this.#config.SKEIN_RUNNER_FREE_MIB,
      makeRoom: (bytes) => this.#tidy(bytes),
    })
    offers.tellShortage(shortage)
    return shortage === ''
  }

  async #awaitRoom(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#toldAt >= PRESENCE_MS) await this.#takeRuns(0, signal)
    const roomy = new AbortController()
    const pausing = rest(PRESENCE_MS, AbortSignal.any([signal, roomy.signal]))
    await Promise.race([...this.#active.values(), pausing])
    roomy.abort()
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#draining
    const { offers } = this.#parts
    while (!signal.aborted) {
      await rest(offers.isComplete ? LOOK_MS : LOOK_WHEN_LACKING_MS, signal)
      if (!signal.aborted) await offers.look().catch((error: unknown) => this.#complain(error))
    }
  }

  async #keepRemoving(): Promise<void> {
    const { signal } = this.#draining
    while (!signal.aborted) {
      await rest(this.#config.SKEIN_RUNNER_REMOVE_MS, signal)
      if (signal.aborted) return
      const complain = (error: unknown) => {
        if (!signal.aborted) this.#complain(error)
      }
      await removeLeftovers(this.#parts, this.#pools, signal).catch(complain)
      await this.#tidy()
      await this.#parts.mirrors.removeUnused(this.#parts.now() - this.#mirrorsKeptMs).catch(complain)
    }
  }

  /** Longer than any folder that borrows objects from a mirror. */
  get #mirrorsKeptMs(): number {
    return this.#config.SKEIN_RUNNER_CACHE_DAYS * DAY_MS + UNSAVED_KEPT_MS
  }

  get #pools(): readonly string[] {
    return this.#config.SKEIN_RUNNER_POOLS.split(',').filter((pool) => pool !== '')
  }

  async #takeRuns(capacity: number, signal: AbortSignal): Promise<boolean> {
    const pools = this.#pools
    try {
      const offers = this.#parts.offers.describe()
      const body = { capacity, waitMs: POLL_MS, offers, ...(pools.length > 0 && { pools: [...pools] }) }
      const { runs } = await this.#parts.transport.call(pollRuns, { body, signal, retries: 0 })
      this.#toldAt = performance.now()
      for (const assignment of runs) this.#begin(assignment)
      return true
    } catch (error) {
      if (!signal.aborted) this.#parts.onEvent({ type: 'unreachable', message: messageOf(error) })
      return false
    }
  }

  #begin(assignment: Assignment): void {
    const run = new RunExecution(this.#parts, assignment)
    const names = nameRun(assignment)
    const ended = inRunSpan(assignment, async () => {
      this.#parts.onEvent({ type: 'run-began', run: names })
      const end = await run.run()
      this.#parts.onEvent({ type: 'run-ended', run: names, ...end })
      return end
    }).then(() => {
      this.#active.delete(run)
      void this.#tidy()
    })
    this.#active.set(run, ended)
  }

  /** Unused workspaces make room for new ones. Their content is saved upstream. */
  async #tidy(mustFreeBytes = 0): Promise<void> {
    const maxBytes = this.#config.SKEIN_RUNNER_DISK_MIB * MIB
    const options = {
      maxBytes,
      mustFreeBytes,
      unsavedForMs: UNSAVED_KEPT_MS,
      unusedForMs: this.#config.SKEIN_RUNNER_CACHE_DAYS * DAY_MS,
      nowMs: this.#parts.now(),
      keeps: this.#parts.desks.agentHashes,
    }
    await evictOldest(this.#parts.agentsDir, options).catch((error: unknown) => this.#complain(error))
  }

  #complain(error: unknown): void {
    this.#parts.onEvent({ type: 'problem', message: messageOf(error) })
  }
}

function transportOf(config: RunnerConfig, apiKey: string, retries = 4): Transport {
  return createTransport({
    baseUrl: config.SKEIN_URL,
    apiKey,
    retries,
    userAgent: `skein-runner/${readVersion()}`,
    // An agent that is woken by a child's end must find it ended.
    readLatest: true,
  })
}

function providersOf(config: RunnerConfig) {
  const ownKey = (key: string): string => (config.SKEIN_RUNNER_TENANT_KEYS_ONLY ? '' : key)
  return {
    anthropic: { url: config.ANTHROPIC_BASE_URL, apiKey: ownKey(config.ANTHROPIC_API_KEY) },
    openai: { url: config.OPENAI_BASE_URL, apiKey: ownKey(config.OPENAI_API_KEY) },
  }
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {})
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

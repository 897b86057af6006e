import { hostname } from 'node:os'
import { cutText, formatTimestamp, type RunnerOffers } from '@skein/contract'
import { MACHINE_LIMITS, MAX_NAME_LENGTH } from '@skein/contract/facts'
import { offeredSandboxes, permittedNetworks, readRanges, type RunnerConfig } from '../config.ts'
import type { ProviderName } from '../gateway/provider.ts'
import type { OfferedBackend } from '../backends/offered-backend.ts'
import { stopOutputChecks } from '../backends/turn/output-check.ts'
import type { RunnerEvent } from '../runner-event.ts'
import type { DiskWatch } from '../sandbox/limits/disk-watch.ts'
import { findSandboxProvider } from '../sandbox/providers.ts'
import type { FrontAddress, NetworkPolicy, Probe, SandboxLevel, SandboxProvider } from '../sandbox/sandbox.ts'
import { readVersion } from '../version.ts'
import { listCandidates, probeCandidate, type Candidate } from './candidates.ts'
import { offerNetworks, type NetworkTerms, type OfferedNetwork } from './offered-networks.ts'

type PartKind = 'backend' | 'key' | 'sandbox' | 'network' | 'limit'

interface Part {
  readonly kind: PartKind
  readonly name: string
  readonly version: string
  /** Why it cannot be used; empty if it can. */
  readonly problem: string
}

/** What a sandbox enforces, as of the last check when it was usable. */
type HeldBySandbox = Pick<Extract<Probe, { isUsable: true }>, 'limits' | 'notes'>

/** The service's limits. */
const MAX_VERSION = 255
const MAX_PROBLEM = 512
/** For how many runs that start at once something is made ahead. */
const READY = 4

export interface OffersOptions {
  readonly config: RunnerConfig
  readonly front: FrontAddress
  readonly disk: DiskWatch
  readonly onEvent: (event: RunnerEvent) => void
  /** Why the runner's own key for a provider doesn't work; empty if it does. */
  readonly findKeyProblem: (provider: ProviderName) => Promise<string>
}

/** What this runner can execute and what it lacks, as of the last check. */
export class Offers {
  readonly #config: RunnerConfig
  readonly #onEvent: (event: RunnerEvent) => void
  readonly #findKeyProblem: OffersOptions['findKeyProblem']
  readonly #candidates: readonly Candidate[]
  readonly #providers: readonly SandboxProvider[]
  readonly #backends = new Map<string, OfferedBackend>()
  readonly #sandboxes = new Map<SandboxLevel, SandboxProvider>()
  readonly #terms: NetworkTerms
  /** By sandbox. */
  readonly #networks = new Map<string, readonly OfferedNetwork[]>()
  readonly #held = new Map<string, HeldBySandbox>()
  /** Tells this process from an earlier one of the same name. */
  readonly #startTime = formatTimestamp(Math.floor(performance.timeOrigin))
  #parts: readonly Part[] = []
  #shortage = ''

  constructor({ config, front, disk, onEvent, findKeyProblem }: OffersOptions) {
    this.#config = config
    this.#onEvent = onEvent
    this.#findKeyProblem = findKeyProblem
    this.#candidates = listCandidates(config, front)
    const sharesHostNetwork = config.SKEIN_RUNNER_HOST_NETWORK
    this.#terms = { permitted: permittedNetworks(config), sharesHostNetwork }
    const allowedRanges = readRanges(config, 'SKEIN_RUNNER_ALLOWED_RANGES')
    const ready = { port: front.port, count: Math.min(READY, config.SKEIN_RUNNER_CAPACITY) }
    this.#providers = offeredSandboxes(config).map((level) =>
      findSandboxProvider(level, { allowedRanges, disk, ready }),
    )
  }

  get backends(): ReadonlyMap<string, OfferedBackend> {
    return this.#backends
  }

  get sandboxes(): ReadonlyMap<SandboxLevel, SandboxProvider> {
    return this.#sandboxes
  }

  /** Ends what the backends share, and what was made ahead for sandboxes. */
  async close(): Promise<void> {
    await Promise.all([stopOutputChecks(), ...this.#providers.map((provider) => provider.close())])
  }

  /** Without a backend or a sandbox, every run would just be handed back. */
  get canExecute(): boolean {
    return this.#backends.size > 0 && this.#sandboxes.size > 0
  }

  /** A network nobody asked for by name may be missing. */
  get isComplete(): boolean {
    const optional = new Set<PartKind>([
      'limit',
      ...(this.#terms.permitted.length > 0 ? [] : ['network' as const]),
    ])
    return this.#parts.every(({ kind, problem }) => problem === '' || optional.has(kind))
  }

  /**
   * Programs may be installed while we run. What was found once stays on offer and is reported if it is missing
   * later: a host that is briefly short of processes must not make runs fail.
   */
  async look(): Promise<void> {
    const parts: Part[] = []
    const keys = await Promise.all(this.#candidates.map((candidate) => this.#lookAtKey(candidate)))
    for (const candidate of this.#candidates) parts.push(await this.#lookAtBackend(candidate))
    parts.push(...keys)
    for (const provider of this.#providers) parts.push(...(await this.#lookAtSandbox(provider)))
    for (const part of parts) this.#tellChange(part)
    this.#parts = parts
  }

  /** Why no sandbox can be used at the moment; empty when that is over. */
  tellShortage(shortage: string): void {
    if (this.#shortage === shortage) return
    const what = 'any sandbox'
    if (shortage === '') this.#onEvent({ type: 'fixed', what })
    else if (this.#shortage === '') this.#onEvent({ type: 'missing', what, reason: shortage })
    this.#shortage = shortage
  }

  /** Why something is not offered; empty if it wasn't meant to be. */
  problemOf(kind: PartKind, name: string): string {
    return this.#find(kind, name)?.problem ?? ''
  }

  /** A sandbox that was never usable offers none. */
  networkOf(level: SandboxLevel, policy: NetworkPolicy): OfferedNetwork {
    const found = this.#networks.get(level)?.find(({ name }) => name === policy)
    return found ?? { name: policy, problem: 'It is not offered.', gap: '' }
  }

  describe(): RunnerOffers {
    const { SKEIN_RUNNER_NAME, SKEIN_RUNNER_BUILD, SKEIN_RUNNER_CAPACITY } = this.#config
    return {
      name: SKEIN_RUNNER_NAME || hostname() || 'runner',
      build: SKEIN_RUNNER_BUILD || readVersion(),
      startTime: this.#startTime,
      capacity: SKEIN_RUNNER_CAPACITY,
      backends: this.#partsOf('backend').map(({ name, version, problem }) => ({
        name,
        version,
        problem,
        keyProblem: cutText(this.problemOf('key', `of ${name}`), MAX_PROBLEM),
      })),
      sandboxes: this.#partsOf('sandbox').map((part) => this.#describeSandbox(part)),
    }
  }

  async #lookAtBackend(candidate: Candidate): Promise<Part> {
    const { name } = candidate.backend
    const probe = await probeCandidate(candidate)
    if (probe.isUsable) this.#backends.set(name, candidate)
    const version = probe.isUsable ? (probe.version ?? '') : ''
    return { kind: 'backend', name, version, problem: probe.isUsable ? '' : probe.reason }
  }

  /** A key that doesn't work is reported, but the backend is still offered: a tenant may bring its own key. */
  async #lookAtKey({ backend, provider }: Candidate): Promise<Part> {
    const problem = provider === undefined ? '' : await this.#findKeyProblem(provider)
    return { kind: 'key', name: `of ${backend.name}`, version: '', problem }
  }

  async #lookAtSandbox(provider: SandboxProvider): Promise<Part[]> {
    const { level } = provider
    const probe = await provider.probe()
    const sandbox: Part = { kind: 'sandbox', name: level, version: '', problem: '' }
    if (!probe.isUsable) return [{ ...sandbox, problem: probe.reason }]
    this.#sandboxes.set(level, provider)
    this.#held.set(level, probe)
    const networks = offerNetworks(probe.networks, this.#terms)
    if (probe.networks.gateway === '') provider.prepare()
    this.#networks.set(level, networks)
    const permitted = networks.filter(({ name }) => this.#isPermitted(name))
    return [
      sandbox,
      ...MACHINE_LIMITS.map((limit): Part => ({
        kind: 'limit',
        name: `${limit} in ${level}`,
        version: '',
        problem: probe.limits[limit],
      })),
      ...permitted.map(({ name, problem }): Part => ({
        kind: 'network',
        name: `${name} in ${level}`,
        version: '',
        problem,
      })),
    ]
  }

  #isPermitted(policy: NetworkPolicy): boolean {
    return this.#terms.permitted.length === 0 || this.#terms.permitted.includes(policy)
  }

  #networksIn(level: string): Pick<OfferedNetwork, 'name' | 'problem'>[] {
    const networks = this.#networks.get(level) ?? []
    return networks.map(({ name, problem }) => ({ name, problem: cutText(problem, MAX_PROBLEM) }))
  }

  #describeSandbox({ name, problem }: Part): RunnerOffers['sandboxes'][number] {
    const held = this.#held.get(name)
    return {
      name,
      problem: problem === '' ? cutText(this.#shortage, MAX_PROBLEM) : problem,
      networks: this.#networksIn(name),
      ...(held && {
        limits: MACHINE_LIMITS.map((limit) => ({
          name: limit,
          problem: cutText(held.limits[limit], MAX_PROBLEM),
        })),
        notes: held.notes.map((note) => cutText(note, MAX_PROBLEM)),
      }),
    }
  }

  #tellChange({ kind, name, problem }: Part): void {
    const before = this.#find(kind, name)?.problem ?? ''
    if (problem === before) return
    const what = `the ${kind} ${name}`
    this.#onEvent(problem === '' ? { type: 'fixed', what } : { type: 'missing', what, reason: problem })
  }

  #find(kind: PartKind, name: string): Part | undefined {
    return this.#parts.find((part) => part.kind === kind && part.name === name)
  }

  #partsOf(kind: PartKind): Part[] {
    return this.#parts
      .filter((part) => part.kind === kind)
      .map((part) => ({
        ...part,
        name: cutText(part.name, MAX_NAME_LENGTH),
        version: cutText(part.version, MAX_VERSION),
        problem: cutText(part.problem, MAX_PROBLEM),
      }))
  }
}

import type { RunEndReason } from '@skein/contract'
import { ONLINE_MS, type EngineEvent, type EngineResources, type SignInOutcome } from '@skein/engine'
import { SegmentWork } from '@skein/store'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { AutomationMetrics } from './automation-metrics.ts'
import { countChanges, type RunCounts } from './count-changes.ts'
import { SERVER_METRICS as TABLE } from './metric-table.ts'
import { PoolGauges } from './pool-gauges.ts'
import { SharedTotals } from './shared-totals.ts'

/** A record, so that a new reason cannot be forgotten. */
const REASONS: Readonly<Record<Exclude<RunEndReason, ''>, true>> = {
  finished: true,
  asked: true,
  rested: true,
  interrupted: true,
  killed: true,
  failed: true,
  lost: true,
  limit: true,
}

const SIGN_INS: Readonly<Record<SignInOutcome, true>> = {
  'signed-in': true,
  refused: true,
  unavailable: true,
}

/**
 * What this server measures. Labels have few values, which the operator or the code chooses, and never name a tenant
 * or an agent (docs/adr/0040).
 */
export class ServerMetrics {
  readonly #registry = new Registry()
  readonly #requests = new Histogram({ ...TABLE.requestDuration, ...this.#ours() })
  readonly #ended = new Counter({ ...TABLE.runsEnded, ...this.#ours() })
  readonly #retries = new Counter({ ...TABLE.retries, ...this.#ours() })
  readonly #signIns = new Counter({ ...TABLE.signIns, ...this.#ours() })
  readonly #budgetRefusals = new Counter({ ...TABLE.budgetRefusals, ...this.#ours() })
  readonly #budgetResumes = new Counter({ ...TABLE.budgetResumes, ...this.#ours() })
  readonly #replicaReads = new Counter({ ...TABLE.replicaReads, ...this.#ours() })
  readonly #eventsMoved = new Counter({ ...TABLE.eventsMoved, ...this.#ours() })
  readonly #segmentFailures = new Counter({ ...TABLE.segmentFailures, ...this.#ours() })
  readonly #budgetLevels = new Counter({ ...TABLE.budgetLevels, ...this.#ours() })
  readonly #queueDuration = new Histogram({ ...TABLE.queueDuration, ...this.#ours() })
  readonly #stopDuration = new Histogram({ ...TABLE.stopDuration, ...this.#ours() })
  readonly #deliveryLag = new Histogram({ ...TABLE.deliveryLag, ...this.#ours() })
  readonly #leasesExpired = new Counter({ ...TABLE.leasesExpired, ...this.#ours() })
  readonly #sweepFailures = new Counter({ ...TABLE.sweepFailures, ...this.#ours() })
  readonly #automations: AutomationMetrics
  readonly #wakeupLag = new Histogram({ ...TABLE.wakeupLag, ...this.#ours() })
  readonly #counts: RunCounts = {
    ended: (reason) => this.#ended.inc({ reason }),
    retried: (cause) => this.#retries.inc({ cause }),
    started: (queuedMs) => this.#queueDuration.observe(queuedMs / 1000),
    stopped: (tookMs) => this.#stopDuration.observe(tookMs / 1000),
    delivered: (lateMs) => this.#deliveryLag.observe(lateMs / 1000),
  }
  readonly #unsubscribe: () => void
  #sweptAt = performance.now()
  #maintainedAt = performance.now()

  constructor(engine: EngineResources, pools: readonly string[]) {
    collectDefaultMetrics({ register: this.#registry, prefix: 'skein_' })
    this.#gauge(TABLE.waitingRequests, () => engine.wakeups.waiting)
    this.#gauge(TABLE.notificationsLost, () => (engine.database.notifications.isLosing ? 1 : 0))
    this.#gauge(TABLE.clockSkew, () => (engine.clock.skewMs ?? 0) / 1000)
    this.#gauge(TABLE.sweepAge, () => (performance.now() - this.#sweptAt) / 1000)
    this.#gauge(TABLE.maintenanceAge, () => (performance.now() - this.#maintainedAt) / 1000)
    this.#measureConnections(engine)
    this.#automations = new AutomationMetrics(this.#registry, engine.database)
    this.#measurePools(new PoolGauges(engine.database, pools, ONLINE_MS))
    this.#measureOldest(engine)
    this.#startAtZero()
    this.#unsubscribe = engine.events.subscribe((event) => this.#observe(event))
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  observeRequest(operation: string, status: number, seconds: number): void {
    this.#requests.observe({ operation, status: status.toString() }, seconds)
  }

  close(): void {
    this.#unsubscribe()
    this.#registry.clear()
  }

  #observe(event: EngineEvent): void {
    switch (event.type) {
      case 'changed':
        return countChanges(event.changes, this.#counts)
      case 'leases-expired':
        return this.#leasesExpired.inc(event.amount)
      case 'swept':
        this.#sweptAt = performance.now()
        return
      case 'maintained':
        this.#maintainedAt = performance.now()
        return
      case 'sweep-failed':
        return this.#sweepFailures.inc()
      case 'wake-up-returned':
        return this.#wakeupLag.observe(event.lagMs / 1000)
      case 'read':
        return this.#replicaReads.inc({ outcome: event.from })
      case 'segment-moved':
        return this.#eventsMoved.inc(event.events)
      case 'segment-failed':
        return this.#segmentFailures.inc({ cause: event.cause })
      case 'segment-unreadable':
        return this.#segmentFailures.inc({ cause: event.cause === 'damaged' ? 'damaged' : 'read' })
      case 'budget-refused':
        return this.#budgetRefusals.inc()
      case 'budget-resumed':
        return this.#budgetResumes.inc()
      case 'budget-reached':
        return this.#budgetLevels.inc({ percent: event.percent })
      case 'signed-in':
        return this.#signIns.inc({ outcome: event.outcome })
      // Wakes the server that calls code hosts. Nothing is measured yet.
      case 'code-host-asked':
      case 'host-webhook':
        return
      default:
        return this.#automations.observe(event)
    }
  }

  /** So that the first of each is an increase from 0, which a rate can see. */
  #startAtZero(): void {
    for (const reason of Object.keys(REASONS)) this.#ended.inc({ reason }, 0)
    for (const outcome of Object.keys(SIGN_INS)) this.#signIns.inc({ outcome }, 0)
    for (const percent of [50, 80, 100]) this.#budgetLevels.inc({ percent }, 0)
    for (const cause of ['move', 'remove', 'read', 'damaged']) this.#segmentFailures.inc({ cause }, 0)
    for (const cause of ['lost', 'failed', 'paused']) this.#retries.inc({ cause }, 0)
  }

  #gauge(definition: { readonly name: string; readonly help: string }, read: () => number): void {
    const { name, help } = definition
    const gauge = new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.set(read())
      },
    })
    this.#registry.registerMetric(gauge)
  }

  #measureConnections({ database }: EngineResources): void {
    const used = new Gauge({ ...TABLE.shareUsed, ...this.#ours() })
    const size = new Gauge({ ...TABLE.shareSize, ...this.#ours() })
    const connections = new Gauge({
      ...TABLE.connections,
      registers: [],
      collect() {
        const { total, idle, waiting, shares } = database.connections
        this.set({ state: 'busy' }, total - idle)
        this.set({ state: 'idle' }, idle)
        this.set({ state: 'waiting' }, waiting)
        for (const { share, ...each } of shares) {
          used.set({ share }, each.taken)
          size.set({ share }, each.size)
        }
      },
    })
    this.#registry.registerMetric(connections)
  }

  #measureOldest({ database, clock }: EngineResources): void {
    const oldest = new SharedTotals(async () => ({
      month: await database.urgent.statement((transaction) => new SegmentWork(transaction).oldestMonth()),
    }))
    const gauge = new Gauge({
      ...TABLE.oldestUnmoved,
      registers: [],
      async collect() {
        const found = await oldest.read()
        if (!found) return this.remove()
        this.set(found.month === undefined ? 0 : (clock.now() - found.month) / 1000)
      },
    })
    this.#registry.registerMetric(gauge)
  }

  #measurePools(pools: PoolGauges): void {
    const columns = [
      [TABLE.queued, 'queued'],
      [TABLE.queuedOldest, 'oldestSeconds'],
      [TABLE.running, 'running'],
      [TABLE.runnersOnline, 'runners'],
    ] as const
    for (const [definition, column] of columns) {
      const gauge = new Gauge({
        ...definition,
        registers: [],
        async collect() {
          const totals = await pools.read()
          this.reset()
          for (const each of totals) this.set({ pool: each.pool }, each[column])
        },
      })
      this.#registry.registerMetric(gauge)
    }
  }

  #ours(): { registers: Registry[] } {
    return { registers: [this.#registry] }
  }
}

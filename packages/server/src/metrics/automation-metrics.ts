import type { EngineEvent } from '@skein/engine'
import { readAutomationTotals, type AutomationTotals, type Database } from '@skein/store'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { AUTOMATION_METRICS as TABLE } from './automation-metric-table.ts'
import { FRESH_MS, SharedTotals } from './shared-totals.ts'

const MOST_PER_INTEGRATION = 1_000

/** The values of each label, so that the first of each is an increase from 0, which a rate can see. */
const VALUES = {
  attempts: ['delivered', 'failed', 'gone'],
  causes: ['expired', 'disabled'],
  results: ['new', 'copy', 'unverified', 'limited'],
  deliveries: ['ignored', 'spawned', 'sent', 'refused', 'failed'],
  firings: ['started', 'sent', 'skipped', 'failed'],
} as const

/** What happens in automations. */
type AutomationEvent = Extract<
  EngineEvent,
  {
    readonly type:
      | 'automations-looked'
      | 'dead-lettered'
      | 'delivery-attempted'
      | 'firing-due'
      | 'firing-ended'
      | 'integration-disabled'
      | 'trigger-applied'
      | 'trigger-received'
      | 'trigger-refused'
  }
>

/** What this server measures of webhooks, triggers and schedules. */
export class AutomationMetrics {
  readonly #attempts: Counter<'outcome'>
  readonly #duration: Histogram
  readonly #deadLetters: Counter<'cause'>
  readonly #disablings: Counter
  readonly #requests: Counter<'result'>
  readonly #deliveries: Counter<'outcome'>
  readonly #triggerLag: Histogram
  readonly #firingLag: Histogram
  readonly #firings: Counter<'outcome'>
  /** When each kind of work was last looked for. Empty without the role. */
  readonly #lookedAt = new Map<string, number>()

  constructor(registry: Registry, database: Database) {
    const registers = [registry]
    this.#attempts = new Counter({ ...TABLE.webhookAttempts, registers })
    this.#duration = new Histogram({ ...TABLE.webhookDuration, registers })
    this.#deadLetters = new Counter({ ...TABLE.deadLetters, registers })
    this.#disablings = new Counter({ ...TABLE.disablings, registers })
    this.#requests = new Counter({ ...TABLE.triggerRequests, registers })
    this.#deliveries = new Counter({ ...TABLE.triggerDeliveries, registers })
    this.#triggerLag = new Histogram({ ...TABLE.triggerLag, registers })
    this.#firingLag = new Histogram({ ...TABLE.firingLag, registers })
    this.#firings = new Counter({ ...TABLE.firingsEnded, registers })
    this.#startAtZero()
    this.#measureAges(registry)
    measureTotals(registry, database)
  }

  observe(event: AutomationEvent): void {
    switch (event.type) {
      case 'automations-looked':
        this.#lookedAt.set(event.kind, performance.now())
        return
      case 'delivery-attempted':
        this.#attempts.inc({ outcome: event.outcome })
        return this.#duration.observe(event.latencyMs / 1000)
      case 'dead-lettered':
        return this.#deadLetters.inc({ cause: event.cause }, event.amount)
      case 'integration-disabled':
        return this.#disablings.inc()
      case 'trigger-received':
        return this.#requests.inc({ result: event.isNew ? 'new' : 'copy' })
      case 'trigger-refused':
        return this.#requests.inc({ result: event.cause })
      case 'trigger-applied':
        this.#deliveries.inc({ outcome: event.outcome.toLowerCase() })
        return this.#triggerLag.observe(event.lagMs / 1000)
      case 'firing-due':
        return this.#firingLag.observe(event.lagMs / 1000)
      case 'firing-ended':
        return this.#firings.inc({ outcome: event.outcome })
    }
  }

  #startAtZero(): void {
    for (const outcome of VALUES.attempts) this.#attempts.inc({ outcome }, 0)
    for (const cause of VALUES.causes) this.#deadLetters.inc({ cause }, 0)
    for (const result of VALUES.results) this.#requests.inc({ result }, 0)
    for (const outcome of VALUES.deliveries) this.#deliveries.inc({ outcome }, 0)
    for (const outcome of VALUES.firings) this.#firings.inc({ outcome }, 0)
  }

  #measureAges(registry: Registry): void {
    const lookedAt = this.#lookedAt
    const gauge = new Gauge({
      ...TABLE.automationsAge,
      registers: [],
      collect() {
        for (const [kind, at] of lookedAt) this.set({ kind }, (performance.now() - at) / 1000)
      },
    })
    registry.registerMetric(gauge)
  }
}

/** Series of one gauge, as pairs of labels and value. */
type Series = readonly (readonly [Record<string, string>, number])[]

/** The same on every server: counted by one for all. */
function measureTotals(registry: Registry, database: Database): void {
  const shared = new SharedTotals(() =>
    database.urgent.statement((transaction) =>
      readAutomationTotals(transaction, { freshMs: FRESH_MS, most: MOST_PER_INTEGRATION }),
    ),
  )
  const gauges: readonly (readonly [
    { readonly name: string; readonly help: string; readonly labelNames?: readonly string[] },
    (totals: AutomationTotals) => Series,
  ])[] = [
    [
      TABLE.automationsOverdue,
      ({ overdue }) => Object.entries(overdue).map(([kind, seconds]) => [{ kind }, seconds]),
    ],
    [
      TABLE.lanesWaiting,
      ({ answering, failing }) => [
        [{ receiver: 'answering' }, answering.lanes],
        [{ receiver: 'failing' }, failing.lanes],
      ],
    ],
    [
      TABLE.lanesOldest,
      ({ answering, failing }) => [
        [{ receiver: 'answering' }, answering.oldestSeconds],
        [{ receiver: 'failing' }, failing.oldestSeconds],
      ],
    ],
    [TABLE.integrationsDisabled, ({ disabled }) => [[{}, disabled]]],
  ]
  for (const [{ name, help, labelNames = [] }, seriesOf] of gauges) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [],
      async collect() {
        const totals = await shared.read()
        this.reset()
        for (const [labels, value] of totals ? seriesOf(totals) : []) this.set(labels, value)
        // Of a gauge without labels, a reset leaves 0.
        if (!totals && labelNames.length === 0) this.remove()
      },
    })
    registry.registerMetric(gauge)
  }
}

import { createServer, type Server } from 'node:http'
import { ConfigError } from '@skein/contract'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { RunnerEvent } from '../runner-event.ts'
import { RUNNER_METRICS as TABLE } from './metric-table.ts'

/** Statuses that providers give. Others, which a proxy may make up, are counted together. */
const STATUSES: ReadonlySet<number> = new Set([
  0, 200, 400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 504, 529,
])

/** For graphs and alerts. Labels have few values and never name a tenant or an agent (docs/adr/0040). */
export class RunnerMetrics {
  readonly #registry = new Registry()
  readonly #runs = new Counter({ ...TABLE.runs, ...this.#ours() })
  readonly #active = new Gauge({ ...TABLE.active, ...this.#ours() })
  readonly #calls = new Counter({ ...TABLE.calls, ...this.#ours() })
  readonly #callDuration = new Histogram({ ...TABLE.callDuration, ...this.#ours() })
  readonly #cost = new Counter({ ...TABLE.cost, ...this.#ours() })
  readonly #queuedToFirstCall = new Histogram({ ...TABLE.queuedToFirstCall, ...this.#ours() })
  readonly #firstCall = new Histogram({ ...TABLE.firstCall, ...this.#ours() })
  readonly #gitFailures = new Counter({ ...TABLE.gitFailures, ...this.#ours() })
  readonly #blobFailures = new Counter({ ...TABLE.blobFailures, ...this.#ours() })
  readonly #problems = new Counter({ ...TABLE.problems, ...this.#ours() })

  constructor(capacity: number) {
    collectDefaultMetrics({ register: this.#registry, prefix: 'skein_runner_' })
    new Gauge({ ...TABLE.capacity, ...this.#ours() }).set(capacity)
    // So that the first failure is an increase from 0, which a rate can see.
    for (const kind of ['unreachable', 'auth', 'failed', 'save']) this.#gitFailures.inc({ kind }, 0)
    for (const operation of ['put', 'get', 'remove', 'list']) this.#blobFailures.inc({ operation }, 0)
    for (const provider of ['anthropic', 'openai']) this.#calls.inc({ provider, status: '429' }, 0)
  }

  observe(event: RunnerEvent): void {
    switch (event.type) {
      case 'run-began':
        return this.#active.inc()
      case 'run-ended':
        this.#active.dec()
        return this.#runs.inc({ reason: event.reason })
      case 'first-model-call':
        return this.#queuedToFirstCall.observe(event.sinceQueuedMs / 1000)
      case 'model-called':
        return this.#countCall(event)
      case 'git-failed':
        return this.#gitFailures.inc({ kind: event.kind })
      case 'blob-failed':
        return this.#blobFailures.inc({ operation: event.operation })
      case 'problem':
      case 'unreachable':
        return this.#problems.inc()
      case 'missing':
      case 'fixed':
    }
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  async serve(host: string, port: number): Promise<Server> {
    const server = createServer((request, response) => {
      if (request.url === '/healthz') return void response.end('ok\n')
      if (request.url !== '/metrics') return void response.writeHead(404).end()
      void this.text().then((text) => {
        response.writeHead(200, { 'content-type': this.#registry.contentType }).end(text)
      })
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => {
        const settings = 'SKEIN_RUNNER_METRICS_HOST and SKEIN_RUNNER_METRICS_PORT'
        reject(new ConfigError(`${settings} name an address that cannot be listened on: ${error.message}`))
      })
      server.listen(port, host, resolve)
    })
    return server
  }

  #countCall(call: Extract<RunnerEvent, { type: 'model-called' }>): void {
    const { provider, status } = call
    this.#calls.inc({ provider, status: STATUSES.has(status) ? status.toString() : 'other' })
    this.#callDuration.observe({ provider }, call.durationMs / 1000)
    this.#cost.inc(call.costUsd)
    if (call.isFirst) this.#firstCall.observe(call.sinceStartMs / 1000)
  }

  #ours(): { registers: Registry[] } {
    return { registers: [this.#registry] }
  }
}

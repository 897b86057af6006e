import { createServer, type Server } from 'node:http'
import { ConfigError } from '@skein/contract'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { RunnerEvent } from '../runner-event.ts'

/** For graphs and alerts. */
export class RunnerMetrics {
  readonly #registry = new Registry()
  readonly #runs = new Counter({
    name: 'skein_runner_runs_total',
    help: 'Runs that ended.',
    registers: [this.#registry],
  })
  readonly #active = new Gauge({
    name: 'skein_runner_active_runs',
    help: 'Runs in progress.',
    registers: [this.#registry],
  })
  readonly #calls = new Counter({
    name: 'skein_runner_model_calls_total',
    help: 'Model calls that were sent on.',
    registers: [this.#registry],
  })
  readonly #cost = new Counter({
    name: 'skein_runner_cost_dollars_total',
    help: 'What model calls have cost.',
    registers: [this.#registry],
  })
  readonly #firstCall = new Histogram({
    name: 'skein_runner_first_model_call_seconds',
    help: 'From the start of a run to the end of its first model call.',
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64],
    registers: [this.#registry],
  })
  readonly #problems = new Counter({
    name: 'skein_runner_problems_total',
    help: 'Faults of the runner itself, and failed polls.',
    registers: [this.#registry],
  })

  observe(event: RunnerEvent): void {
    switch (event.type) {
      case 'run-began':
        return this.#active.inc()
      case 'run-ended':
        this.#active.dec()
        return this.#runs.inc()
      case 'model-called':
        this.#calls.inc()
        this.#cost.inc(event.costUsd)
        if (event.isFirst) this.#firstCall.observe(event.sinceStartMs / 1000)
        return
      case 'problem':
      case 'unreachable':
        return this.#problems.inc()
      case 'missing':
      case 'fixed':
    }
  }

  async serve(host: string, port: number): Promise<Server> {
    const server = createServer((request, response) => {
      if (request.url === '/healthz') return void response.end('ok\n')
      if (request.url !== '/metrics') return void response.writeHead(404).end()
      void this.#registry.metrics().then((text) => {
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
}

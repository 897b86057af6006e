import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { AgentId } from '@skein/contract'
import { inlineScript, type SimulatorStep } from '@skein/simulator'
import {
  bareEnvironment,
  startTraceCollector,
  waitFor,
  type ReceivedSpan,
  type TraceCollector,
} from '@skein/testkit'
import { RunnerWorld, type RunnerProcess } from './runner-world.ts'

const SERVER = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url))

type Fields = Readonly<Record<string, unknown>>

/** A server and a runner as processes of their own, which send their traces to a collector. */
export class TracedWorld {
  readonly world: RunnerWorld
  readonly collector: TraceCollector
  readonly #endpoint: string
  readonly #url: string
  readonly #server: ChildProcess
  readonly #output: () => string

  private constructor(facts: {
    world: RunnerWorld
    collector: TraceCollector
    endpoint: string
    url: string
    server: ChildProcess
    output: () => string
  }) {
    this.world = facts.world
    this.collector = facts.collector
    this.#endpoint = facts.endpoint
    this.#url = facts.url
    this.#server = facts.server
    this.#output = facts.output
  }

  static async start({ endpoint }: { endpoint?: string } = {}): Promise<TracedWorld> {
    const world = await RunnerWorld.start({ SKEIN_LEASE_MS: '3000' })
    await world.useSandbox('process')
    const collector = await startTraceCollector()
    const { config, database } = world.server
    const server = spawn(process.execPath, [SERVER, 'serve'], {
      env: {
        ...bareEnvironment(),
        SKEIN_PORT: '0',
        SKEIN_DATABASE_URL: database.serverUrl,
        SKEIN_MASTER_KEY: config.SKEIN_MASTER_KEY,
        SKEIN_LEASE_MS: '3000',
        SKEIN_CEILING: 'none',
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint ?? collector.url,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    server.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
    const url = await waitFor(() => /Server listening at (http:\/\/[^"]+)"/.exec(output)?.[1], {
      what: 'the server to listen',
      timeoutMs: 30_000,
    })
    return new TracedWorld({
      world,
      collector,
      endpoint: endpoint ?? collector.url,
      url,
      server,
      output: () => output,
    })
  }

  startRunner(settings: Readonly<Record<string, string>> = {}): Promise<RunnerProcess> {
    return this.world.startRunner({
      SKEIN_URL: this.#url,
      OTEL_EXPORTER_OTLP_ENDPOINT: this.#endpoint,
      ...settings,
    })
  }

  async post(path: string, body: Fields, traceparent = ''): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.world.admin.key}`,
        'content-type': 'application/json',
        ...(traceparent !== '' && { traceparent }),
      },
      body: JSON.stringify(body),
    })
    if (response.status !== 200) throw new Error(await response.text())
    return (await response.json()) as Record<string, unknown>
  }

  async spawn(
    name: string,
    steps: readonly SimulatorStep[],
    traceparent = '',
    fields: Fields = {},
  ): Promise<AgentId> {
    const agentId = { agent: [name], workspace: 'shop' }
    const description = `Please do this.\n\n${inlineScript(steps)}`
    const body = await this.post('/v1/agent/spawn', { agentId, description, ...fields }, traceparent)
    return body['agentId'] as AgentId
  }

  async send(agentId: AgentId, steps: readonly SimulatorStep[], traceparent = ''): Promise<void> {
    const description = `And this.\n\n${inlineScript(steps)}`
    await this.post('/v1/agent/queue', { agentId, description }, traceparent)
  }

  /** The span of an attempt, once the runner has sent it, and the server everything up to its end. */
  async runSpan(agent: string, runId = '1', attempt = 1): Promise<ReceivedSpan> {
    const isIt = ({ name, attributes }: ReceivedSpan): boolean =>
      name === 'run' &&
      attributes['skein.agent'] === agent &&
      attributes['skein.run_id'] === runId &&
      Number(attributes['skein.attempt']) === attempt
    const what = `run ${runId} of ${agent}`
    const run = await waitFor(() => this.collector.spans.find(isIt), { what, timeoutMs: 60_000 })
    await waitFor(
      () =>
        this.collector.spans.find(({ name, parentSpanId }) => isReport(name) && parentSpanId === run.spanId),
      { what: `the report of ${what}`, timeoutMs: 60_000 },
    )
    return run
  }

  inTrace({ traceId }: Pick<ReceivedSpan, 'traceId'>): ReceivedSpan[] {
    return this.collector.spans.filter((span) => span.traceId === traceId)
  }

  /** The names of a span and of everything above it, as far as it was received. */
  ancestry(span: ReceivedSpan): string[] {
    const above = this.collector.spans.find(({ spanId }) => spanId === span.parentSpanId)
    return [span.name, ...(above ? this.ancestry(above) : [])]
  }

  get serverLines(): Record<string, unknown>[] {
    return toLines(this.#output())
  }

  /** Its last spans are sent before it ends. */
  async stopServer(): Promise<number | null> {
    if (this.#server.exitCode === null) {
      this.#server.kill('SIGTERM')
      await once(this.#server, 'close')
    }
    return this.#server.exitCode
  }

  async close(): Promise<void> {
    await this.world.stopRunners()
    await this.stopServer()
    await this.collector.close()
    await this.world.close()
  }
}

function isReport(name: string): boolean {
  return name === 'POST /v1/runner/complete'
}

export function toLines(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

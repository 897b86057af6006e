/**
 * `npm run bench:tracing`: what tracing adds to one command (its request, its change and five statements), in
 * microseconds of a core: while it is off, and with a collector on the same machine.
 */
import { context, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { inSpan, startTracing } from '@skein/host/telemetry'
import { startTraceCollector } from '@skein/testkit'
import { inStatementSpan } from '../packages/store/src/database/in-statement-span.ts'

const ROUNDS = 50_000
const STATEMENTS = 5
const HEADERS = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }
const ATTRIBUTES = { 'http.request.method': 'POST', 'http.route': '/v1/agent/spawn', 'skein.request_id': 'x' }

const nothing = async (): Promise<void> => {}

async function untraced(): Promise<void> {
  for (let index = 0; index < STATEMENTS; index += 1) await nothing()
}

async function change(): Promise<void> {
  for (let index = 0; index < STATEMENTS; index += 1) await inStatementSpan('bench', nothing)
}

async function traced(): Promise<void> {
  const tracer = trace.getTracer('bench')
  const caller = propagation.extract(ROOT_CONTEXT, HEADERS)
  const span = tracer.startSpan('POST', { kind: SpanKind.SERVER, attributes: ATTRIBUTES }, caller)
  await context.with(trace.setSpan(caller, span), () =>
    trace.getActiveSpan() ? inSpan(tracer, 'change agents', {}, change) : change(),
  )
  span.end()
}

/** The least of several, because anything else on the machine only adds. */
async function microsecondsOf(work: () => Promise<void>): Promise<number> {
  let least = Infinity
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const startedAt = performance.now()
    for (let round = 0; round < ROUNDS; round += 1) await work()
    least = Math.min(least, ((performance.now() - startedAt) * 1000) / ROUNDS)
  }
  return least
}

const bare = await microsecondsOf(untraced)
const off = (await microsecondsOf(traced)) - bare
const collector = await startTraceCollector()
const stop = await startTracing({
  service: 'bench',
  version: '0',
  endpoint: collector.url,
  onProblem: () => {},
})
const on = (await microsecondsOf(traced)) - bare
await stop()
await collector.close()
console.log(`off: ${off.toFixed(2)} µs per command`)
console.log(`on: ${on.toFixed(1)} µs per command, which has ${STATEMENTS + 2} spans`)

import { setTimeout as pause } from 'node:timers/promises'
import { context, propagation, trace } from '@opentelemetry/api'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { AsyncContext } from './async-context.ts'
import type { TracingOptions } from './tracing-options.ts'

/** Spans that wait for the collector. Those that don't fit are dropped: about 4 MB of memory at most. */
const MAX_WAITING_SPANS = 4_096
const SEND_EVERY_MS = 2_000
const SEND_TIMEOUT_MS = 5_000
/** A stop must fit into the time that supervisors give. */
const LAST_SEND_MS = 2_000
const COMPLAIN_EVERY_MS = 60_000

export function exportTraces({
  service,
  version,
  endpoint,
  attributes,
  onProblem,
}: TracingOptions): () => Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: SEND_TIMEOUT_MS,
  })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version, ...attributes }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MAX_WAITING_SPANS,
        scheduledDelayMillis: SEND_EVERY_MS,
        exportTimeoutMillis: SEND_TIMEOUT_MS,
      }),
    ],
  })
  const complain = sometimes(onProblem)
  setGlobalErrorHandler((error) =>
    complain(error instanceof Error ? error : new Error('The collector refused spans')),
  )
  context.setGlobalContextManager(new AsyncContext())
  trace.setGlobalTracerProvider(provider)
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  return async () => {
    const isSent = new AbortController()
    const tooLate = pause(LAST_SEND_MS, undefined, { signal: isSent.signal }).then(
      () => complain(new Error('The collector did not take the last spans in time')),
      () => {},
    )
    await Promise.race([provider.shutdown().catch(complain), tooLate])
    isSent.abort()
  }
}

/** A collector that is down would otherwise fill the log. */
function sometimes(tell: (error: Error) => void): (error: Error) => void {
  let toldAt = -Infinity
  return (error) => {
    if (performance.now() - toldAt < COMPLAIN_EVERY_MS) return
    toldAt = performance.now()
    tell(error)
  }
}

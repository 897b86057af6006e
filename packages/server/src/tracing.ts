import type { Config } from './config.ts'

/** Sends spans to the collector that the environment names, if it does. Answers how to flush them at the end. */
export async function startTracing(config: Config): Promise<() => Promise<void>> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === '') return async () => {}
  // Loaded only when it is wanted: it takes time, and it opens the standard streams.
  const { exportTraces } = await import('./trace-exporter.ts')
  return exportTraces(config)
}

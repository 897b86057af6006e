import type { Config } from './config.ts'

/** Exports spans to the collector in the environment, if any. Returns a function that flushes them at the end. */
export async function startTracing(config: Config): Promise<() => Promise<void>> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === '') return async () => {}
  // Loaded on demand: it takes time and opens the standard streams.
  const { exportTraces } = await import('./trace-exporter.ts')
  return exportTraces(config)
}

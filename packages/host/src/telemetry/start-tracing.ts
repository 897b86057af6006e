import type { TracingOptions } from './tracing-options.ts'

/** Exports spans to the collector, if there is one. Returns a function that sends the last of them, and never fails. */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  if (options.endpoint === '') return async () => {}
  // Loaded on demand: it takes time and opens the standard streams.
  const { exportTraces } = await import('./trace-exporter.ts')
  return exportTraces(options)
}

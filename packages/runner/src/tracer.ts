import { trace } from '@opentelemetry/api'

/** Does nothing until tracing starts. */
export const tracer = trace.getTracer('skein-runner')

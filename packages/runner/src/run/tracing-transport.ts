import { context, propagation } from '@opentelemetry/api'
import type { Transport } from '@skein/client'

/** Calls the service as part of the trace in progress. For what a run does, not for reports: there are too many. */
export function tracingTransport(transport: Transport): Transport {
  return {
    call: (operation, ...args) => {
      const headers: Record<string, string> = {}
      propagation.inject(context.active(), headers)
      const [options] = args
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the same options with more headers
      const traced = [{ ...options, headers: { ...options?.headers, ...headers } }] as unknown as typeof args
      return transport.call(operation, ...traced)
    },
  }
}

import type { Transport } from '@skein/client'
import type { Redactor } from '../secrets/redactor.ts'

/** Removes a run's known secrets from every call to the service. */
export function redactingTransport(transport: Transport, redactor: Redactor): Transport {
  return {
    call: (operation, ...args) => {
      const [options] = args
      if (options?.body === undefined) return transport.call(operation, ...args)
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the shape stays, only texts are changed
      const redacted = [{ ...options, body: redactor.redactAll(options.body) }] as unknown as typeof args
      return transport.call(operation, ...redacted)
    },
  }
}

import type { Transport } from '@skein/client'
import type { Redactor } from '../secrets/redactor.ts'

/** What one run tells the service, by whichever call, without the secrets that it knows. */
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

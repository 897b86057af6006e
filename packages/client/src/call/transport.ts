import type { BodyOf, Operation, ParamsOf, QueryOf, ResponseOf } from '@skein/contract'
import { createSender, type CallSettings, type SenderOptions } from './send-call.ts'

/*
 * How a browser's bundle stays small: nothing but types is imported from the contract. An operation brings its
 * schemas with it, and the first one most of the contract, 40 KiB. `Skein` uses a generated table instead, with
 * just the facts that a sender reads.
 */

/**
 * Operations that answer with a stream are not for `call`.
 *
 * @example
 * import type { CallableOperation } from '@skein/client'
 * import { whoami } from '@skein/contract'
 *
 * const operation: CallableOperation = whoami
 */
export type CallableOperation = Operation & { readonly streams?: false }

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { readonly [Key in Name]?: undefined }
  : object extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value }

/**
 * What a call of an operation takes: its parts, and how the call is made.
 *
 * @example
 * import type { CallOptions } from '@skein/client'
 * import type { agentStatus } from '@skein/contract'
 *
 * const options: CallOptions<typeof agentStatus> = { body: { agentId: { workspace: 'shop', agent: ['release'] } } }
 */
export type CallOptions<Op extends Operation> = CallSettings &
  Part<'params', ParamsOf<Op>> &
  Part<'query', QueryOf<Op>> &
  Part<'body', BodyOf<Op>>

type CallArguments<Op extends Operation> =
  object extends CallOptions<Op> ? [options?: CallOptions<Op>] : [options: CallOptions<Op>]

/**
 * Calls operations of the contract.
 *
 * @example
 * import type { Transport } from '@skein/client'
 * import { whoami } from '@skein/contract'
 *
 * const roleOf = async (transport: Transport) => (await transport.call(whoami)).role
 */
export interface Transport {
  call<const Op extends CallableOperation>(
    operation: Op,
    ...[options]: CallArguments<Op>
  ): Promise<ResponseOf<Op>>
}

/**
 * Calls operations of the contract, typed by their schemas. For programs of our own that speak the whole contract,
 * such as a runner; others have `Skein`.
 *
 * @example
 * import { createTransport } from '@skein/client'
 * import { whoami } from '@skein/contract'
 *
 * const transport = createTransport({ baseUrl: 'https://skein.example.com', apiKey: 'skn_…' })
 * const { account } = await transport.call(whoami)
 */
export function createTransport(options: SenderOptions): Transport {
  const send = createSender(options)
  return {
    async call(operation, ...[callOptions]) {
      const body = await send(operation, callOptions ?? {})
      // eslint-disable-next-line typescript/no-unsafe-type-assertion -- the service checks its answers against the same schema
      return body as ResponseOf<typeof operation>
    },
  }
}

import type { BodyOf, Operation, ParamsOf, QueryOf, ResponseOf } from '@skein/contract'
import { createSender, type CallSettings, type SenderOptions } from './send-call.ts'

/*
 * Keeps browser bundles small: only types are imported from the contract. An operation includes its schemas, and the
 * first one would pull in most of the contract, 40 KiB. `Skein` uses a generated table with just what a sender
 * needs.
 */

/**
 * Operations that return a stream cannot be used with `call`.
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
 * The arguments of a call: the operation's parts, and how to make the call.
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
 * Calls operations of the contract, typed by their schemas. For our own programs that use the whole contract, such
 * as a runner. Others use `Skein`.
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

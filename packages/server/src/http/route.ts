import {
  SkeinError,
  summarizeViolations,
  validatorFor,
  withoutNulls,
  type BodyOf,
  type FieldViolation,
  type Operation,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
} from '@skein/contract'
import { POSITION_HEADER } from '@skein/contract/facts'
import { addressBlock, type Caller } from '@skein/core'
import type { CommandContext, CommandOutcome, EngineResources } from '@skein/engine'
import type { ReadPosition } from '@skein/store'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { callerOf } from '../plugins/authentication.ts'
import { signalOf } from '../plugins/open-requests.ts'
import { readJustification } from '../plugins/justification.ts'
import { traceparentOf } from '../plugins/tracing.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { readPosition } from './read-position.ts'
import { nulViolations, readQuery } from './read-query.ts'

/** Unknown parameters are errors: a condition in the URL of a write would otherwise be ignored silently. */
const NO_QUERY = Type.Object({}, { additionalProperties: false })

/** The input of a handler, parsed and validated. */
export interface RouteInput<Op extends Operation> {
  readonly engine: EngineResources
  readonly caller: Caller
  readonly params: ParamsOf<Op>
  readonly query: QueryOf<Op>
  readonly body: BodyOf<Op>
  /** Aborted when the client disconnects or the server stops; for operations that wait. */
  readonly signal: AbortSignal
  readonly requestId: string
  /** The client's address, behind any trusted proxies. */
  readonly address: string
  /** Whether the address is that of a proxy which is not trusted. */
  readonly isForwarded: boolean
  header(name: string): string | undefined
  /** How much of the database the caller has seen: what it reads must not be older. */
  readonly position: ReadPosition
  /** For mutations: who sends it, for which tenant, and how a retry is recognised. */
  commandFor(tenantId: string): CommandContext
}

type Handler<Op extends Operation> = (
  input: RouteInput<Op>,
) => Promise<ResponseOf<Op> | CommandOutcome<ResponseOf<Op>>> | ResponseOf<Op>

export interface Route {
  readonly operation: Operation
  register(app: FastifyInstance, engine: EngineResources): void
}

/** Binds an operation of the contract to its handler. */
export function route<const Op extends Operation>(operation: Op, handler: Handler<Op>): Route {
  return defineRoute(operation, async (input: RouteInput<Op>, reply) => {
    const answer = await handler(input)
    if (tellsPosition(operation)) await addPosition(input, reply)
    if (!isOutcome(answer)) return answer
    if (answer.isReplay) void reply.header('idempotent-replay', 'true')
    return answer.answer
  })
}

export function defineRoute<const Op extends Operation>(
  operation: Op,
  answer: (input: RouteInput<Op>, reply: FastifyReply) => Promise<unknown>,
): Route {
  return {
    operation,
    register: (app, engine) =>
      void app.route({
        method: operation.method,
        url: toRouterPath(operation.path),
        bodyLimit: operation.bodyLimitBytes,
        config: { operation },
        handler: (request, reply) => answer(readInput(operation, engine, request, reply), reply),
      }),
  }
}

/** Our `{ref.kind}` is the router's `:ref_kind`. */
function toRouterPath(path: string): string {
  return path.replaceAll(/\{([^}]+)\}/g, (_match, name: string) => `:${name.replaceAll('.', '_')}`)
}

/** What was waited for has happened, so the caller has seen it, as if it had done it. */
function tellsPosition({ isMutation, id }: Operation): boolean {
  return isMutation || id === 'waitForAgent'
}

/** The change is made, whether or not its position can be read. Strangers read nothing later. */
async function addPosition(
  input: Pick<RouteInput<Operation>, 'engine' | 'caller'>,
  reply: FastifyReply,
): Promise<void> {
  const { reads } = input.engine
  if (!reads.replica) return
  const read = async () => reads.position(input.caller.tenantId)
  const position = await read().catch(() => undefined)
  if (position !== undefined) void reply.header(POSITION_HEADER, position)
}

function isOutcome(answer: unknown): answer is CommandOutcome<unknown> {
  return typeof answer === 'object' && answer !== null && 'isReplay' in answer
}

/**
 * The only place where untyped input becomes typed: it has passed the operation's schemas, from which the types
 * derive.
 */
function readInput<Op extends Operation>(
  operation: Op,
  engine: EngineResources,
  request: FastifyRequest,
  reply: FastifyReply,
): RouteInput<Op> {
  const params = readParams(request.params)
  const query = readQuery(operation.query, request.query)
  const body = operation.body ? readBody(operation.body, request.body) : request.body
  const violations = [
    ...violationsOf(operation.params, params),
    ...violationsOf(operation.query ?? NO_QUERY, query),
    ...nulViolations(query),
    ...(operation.body ? violationsOf(operation.body, body) : unexpectedBody(body)),
  ]
  if (violations.length > 0) {
    throw new SkeinError('REQUEST_INVALID', {
      message: `The request is not valid: ${summarizeViolations(violations)}.`,
      violations,
    })
  }
  const input = new CheckedInput(engine, request, reply, params, query, body)
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- checked against the same schemas just above
  return input as unknown as RouteInput<Op>
}

/** A class, because V8 turns an object literal with a getter into a hash table, for every open request. */
class CheckedInput {
  readonly engine: EngineResources
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor(
    engine: EngineResources,
    request: FastifyRequest,
    reply: FastifyReply,
    params: unknown,
    query: unknown,
    body: unknown,
  ) {
    this.engine = engine
    this.params = params
    this.query = query
    this.body = body
    this.#request = request
    this.#reply = reply
  }

  /** A getter: during sign-in the caller is not known yet. */
  get caller(): Caller {
    return callerOf(this.#request)
  }

  /** A getter: most requests never wait and need no signal. */
  get signal(): AbortSignal {
    return signalOf(this.#reply)
  }

  get requestId(): string {
    return this.#request.id
  }

  get address(): string {
    return this.#request.ip
  }

  /** A proxy that says nothing cannot be recognised. */
  get isForwarded(): boolean {
    const client = this.header('x-forwarded-for')?.split(',', 1)[0]?.trim()
    if (client !== undefined) return addressBlock(client) !== addressBlock(this.address)
    return ['forwarded', 'x-real-ip', 'via'].some((name) => this.header(name) !== undefined)
  }

  header(name: string): string | undefined {
    return this.#request.headers[name]?.toString()
  }

  get position(): ReadPosition {
    return readPosition(this.header(POSITION_HEADER))
  }

  /** Bound, because routes pass it on. */
  get commandFor(): (tenantId: string) => CommandContext {
    return (tenantId) => {
      const { headers, method, url, id } = this.#request
      const key = readIdempotencyKey(headers['idempotency-key'])
      const path = `${method} ${url.split('?', 1)[0]}`
      const { query, body } = this
      const traceparent = traceparentOf(this.#request)
      return {
        caller: this.caller,
        tenantId,
        requestId: id,
        address: this.address,
        ...(traceparent !== undefined && { traceparent }),
        justification: readJustification(headers['x-skein-justification']),
        ...(key !== undefined && { idempotency: { key, path, request: { query, body } } }),
      }
    }
  }
}

/** A missing body is treated as an empty object, so that errors can name the missing fields. */
function readBody(schema: NonNullable<Operation['body']>, body: unknown = {}): unknown {
  return withoutNulls(schema, body)
}

function violationsOf(schema: Operation['body'], value: unknown): FieldViolation[] {
  return schema ? validatorFor(schema).violations(value) : []
}

/** A caller that sends a condition in an ignored body would get an unconditional delete. */
function unexpectedBody(body: unknown): FieldViolation[] {
  if (body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0))
    return []
  return [{ field: '', description: 'must be empty: this operation takes its parameters from the URL' }]
}

function readParams(params: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params ?? {}).map(([name, value]): [string, unknown] => [
      name.replaceAll('_', '.'),
      value,
    ]),
  )
}

import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { context, SpanKind, type Context } from '@opentelemetry/api'
import { SkeinApiError, SkeinClientError } from '@skein/client'
import { inSpan } from '@skein/host/telemetry'
import { createMcpHandler, Server, type CallToolResult } from '@modelcontextprotocol/server'
import { Gate } from '@skein/host'
import { reportSparingly } from '../report-sparingly.ts'
import { tracer } from '../tracer.ts'
import type { FrontHandler, FrontService } from '../front/front.ts'
import { Rate } from '../front/rate.ts'
import type { BodyRefusal } from '../gateway/read-body.ts'
import type { AgentApi } from './agent-api.ts'
import { CHILD_TOOLS } from './child-tools.ts'
import { PULL_REQUEST_TOOLS } from './pull-request-tools.ts'
import type { PullRequests } from './pull-requests.ts'
import { TASK_TOOLS } from './task-tools.ts'
import { ToolRefusal, type Tool } from './tool.ts'
import { readToolRequest, WORK_RATE } from './tool-request.ts'
import type { TurnIntent } from './turn-intent.ts'
import { TURN_TOOLS } from './turn-tools.ts'

/** Requests per token: this many are answered concurrently, and this many more may wait. Also the calls that run. */
const AT_ONCE = 8
const MAX_WAITING = 56

const TOOLS: readonly Tool[] = [...TASK_TOOLS, ...CHILD_TOOLS, ...TURN_TOOLS]

/** The SDK wants one, and nobody asks for it. */
const TOOLS_URL = 'http://127.0.0.1/tools'

/** What a token gives access to while a run of its agent is in progress. */
export interface ToolsGrant {
  readonly lease: string
  readonly api: AgentApi
  readonly intent: TurnIntent
  /** Absent if no repository of the agent is on a code host: then there is no tool for it. */
  readonly pullRequests?: PullRequests | undefined
  /** Called with what must not be told to the agent: it would not help it, and may be internal. */
  readonly onError: (error: unknown) => void
  /** The turn's span, which calls are children of. */
  readonly traceContext?: Context
}

/** The agents' tools, over MCP. Requests are stateless, apart from the token's grant. */
export class ToolsEndpoint implements FrontService {
  readonly #holders = new Map<string, Holder>()

  open(token: string, given: ToolsGrant): void {
    this.#holders.set(token, {
      grant: { ...given, onError: reportSparingly(given.onError) },
      gate: new Gate(AT_ONCE),
      running: new Gate(AT_ONCE),
      work: new Rate(WORK_RATE),
    })
  }

  close(token: string): void {
    this.#holders.delete(token)
  }

  knownToken(request: IncomingMessage): string | undefined {
    const token = tokenOf(request)
    return this.#holders.has(token) ? token : undefined
  }

  turnAway(_request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(401).end()
  }

  readonly handle: FrontHandler = async (request, response) => {
    const holder = this.#holders.get(tokenOf(request))
    if (!holder) return this.turnAway(request, response)
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end()
    if (holder.gate.waiting >= MAX_WAITING)
      return turnBack(request, response, { status: 429, message: 'Too many concurrent calls.' })
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const leave = await holder.gate.enter(gone.signal)
    if (!leave) return
    try {
      await answerCall(request, response, holder, gone.signal)
    } catch (error) {
      if (!gone.signal.aborted) throw error
    } finally {
      // Other agents' requests come in between.
      setImmediate(leave)
    }
  }
}

interface Holder {
  readonly grant: ToolsGrant
  readonly gate: Gate
  /** For the calls themselves, which go on when their client disconnects. */
  readonly running: Gate
  readonly work: Rate
}

async function answerCall(
  request: IncomingMessage,
  response: ServerResponse,
  holder: Holder,
  signal: AbortSignal,
): Promise<void> {
  const asked = await readToolRequest(request, { work: holder.work, signal })
  if (!asked) return
  if ('refusal' in asked) return turnBack(request, response, asked.refusal)
  const call = new Request(TOOLS_URL, { method: 'POST', headers: headersOf(request), signal })
  const answer = await answerAsMcp(call, asked.call, holder)
  response
    .writeHead(answer.status, Object.fromEntries(answer.headers))
    .end(Buffer.from(await answer.arrayBuffer()))
}

function headersOf({ headers }: IncomingMessage): Headers {
  return new Headers(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}

function turnBack(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message }: BodyRefusal,
): void {
  request.resume()
  response.writeHead(status, { connection: 'close', 'content-type': 'text/plain' }).end(`${message}\n`)
}

function tokenOf({ headers }: IncomingMessage): string {
  return (headers.authorization ?? '').replace(/^Bearer /i, '')
}

/**
 * Speaks both revisions of the protocol: the one without sessions saves a program two or three requests at its start. The
 * list of tools never changes, so nobody can subscribe to it.
 */
async function answerAsMcp(call: Request, parsedBody: unknown, holder: Holder): Promise<Response> {
  const errors: Error[] = []
  const onerror = (error: Error) => void errors.push(error)
  const protocol = createMcpHandler(() => createToolServer(holder), { maxSubscriptions: 0, onerror })
  const answer = await protocol.fetch(call, { parsedBody })
  // All others are about what the program sent, and it was told.
  if (answer.status >= 500) for (const error of errors) holder.grant.onError(error)
  return answer
}

function createToolServer({ grant, running }: Holder): Server {
  const tools = grant.pullRequests ? [...TOOLS, ...PULL_REQUEST_TOOLS] : TOOLS
  const server = new Server({ name: 'skein', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, required: [...(inputSchema.required ?? [])] },
      // Without these hints a program may ask a person before each call.
      annotations: { destructiveHint: false, openWorldHint: false },
    })),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const input = params.arguments ?? {}
    const tool = tools.find(({ name }) => name === params.name)
    if (!tool) return refuse(`Unknown tool: ${params.name}.`)
    const callId = digest([grant.lease, params.name, String(mcpReq.id), JSON.stringify(input)])
    const leave = await running.enter(mcpReq.signal)
    if (!leave) return refuse('The client disconnected before the call could begin.')
    try {
      const text = await inToolSpan(tool, grant, () => tool.run(input, { ...grant, callId }))
      return { content: [{ type: 'text', text }] }
    } catch (error) {
      return refuse(toRefusal(error, grant))
    } finally {
      leave()
    }
  })
  return server
}

/** Our side of a call to one of our tools. The agent's program reports the call too, as its own. */
function inToolSpan<Result>(
  { name }: Tool,
  { traceContext = context.active() }: ToolsGrant,
  work: () => Promise<Result>,
): Promise<Result> {
  const attributes = {
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
  }
  return inSpan(tracer, `tools/call ${name}`, { kind: SpanKind.SERVER, attributes }, work, traceContext)
}

function refuse(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}

function toRefusal(error: unknown, { onError }: ToolsGrant): string {
  if (error instanceof ToolRefusal) return error.message
  if (error instanceof SkeinApiError) return `The service refused: ${error.message}`
  if (error instanceof SkeinClientError) return 'The service cannot be reached right now. Try again.'
  onError(error)
  return 'The tool failed. Try once more. If it fails again, go on without it.'
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex')
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import {
  agent,
  ndJsonStream,
  RequestError,
  type AgentContext,
  type McpServer,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** An agent that does what its prompt says, line by line. Each line is a verb and the rest. */

let servers: readonly McpServer[] = []
let cancel = new AbortController()
let toolCalls = 0

class Work {
  readonly #client: AgentContext
  readonly #sessionId: string

  constructor(client: AgentContext, sessionId: string) {
    this.#client = client
    this.#sessionId = sessionId
  }

  async do(verb: string, rest: string): Promise<void> {
    switch (verb) {
      case 'say':
        for (const piece of rest.match(/.{1,3}/gsu) ?? []) await this.#chunk('agent_message_chunk', piece)
        return undefined
      case 'think':
        return this.#chunk('agent_thought_chunk', rest)
      case 'shell':
        return this.#shell(rest)
      case 'note':
        return this.#note(rest)
      case 'ask':
        return this.#ask()
      case 'fail':
        throw RequestError.internalError({ details: rest })
      case 'exit':
        console.error(rest)
        return process.exit(3)
      case 'hang':
        return void (await once(cancel.signal, 'abort'))
      case 'deaf':
        await writeFile('deaf', '')
        return new Promise(() => undefined)
      default:
        return undefined
    }
  }

  async #chunk(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): Promise<void> {
    await this.#update({ sessionUpdate, content: { type: 'text', text } })
  }

  #update(update: SessionUpdate): Promise<void> {
    return this.#client.notify('session/update', { sessionId: this.#sessionId, update })
  }

  async #shell(command: string): Promise<void> {
    toolCalls += 1
    const toolCallId = `call-${toolCalls}`
    await this.#update({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: command,
      name: 'shell',
      status: 'in_progress',
      rawInput: { command },
    })
    const child = spawn('sh', ['-c', command], { signal: cancel.signal, killSignal: 'SIGKILL' })
    child.on('error', () => undefined)
    const output: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    const [code] = (await once(child, 'close')) as [number | null]
    await this.#update({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: code === 0 ? 'completed' : 'failed',
      content: [{ type: 'content', content: { type: 'text', text: Buffer.concat(output).toString() } }],
    })
  }

  async #note(text: string): Promise<void> {
    const [server] = servers
    if (!server || !('headers' in server)) throw RequestError.internalError({ details: 'no tools' })
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]))
    const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } })
    const tools = new Client({ name: 'test', version: '0' })
    await tools.connect(transport)
    await tools.callTool({ name: 'note', arguments: { text } })
    await tools.close()
  }

  async #ask(): Promise<void> {
    const { outcome } = await this.#client.request('session/request_permission', {
      sessionId: this.#sessionId,
      toolCall: { toolCallId: 'asked' },
      options: [
        { optionId: 'no', name: 'No', kind: 'reject_once' },
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      ],
    })
    await this.do('say', outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome)
  }
}

agent({ name: 'test' })
  .onRequest('initialize', ({ params }) => ({
    protocolVersion: params.protocolVersion,
    agentCapabilities: { mcpCapabilities: { http: process.argv[2] !== 'without-tools' } },
  }))
  .onRequest('session/new', ({ params }) => {
    servers = params.mcpServers
    return { sessionId: 'session-1' }
  })
  .onNotification('session/cancel', () => cancel.abort())
  .onRequest('session/prompt', async ({ params, client }) => {
    cancel = new AbortController()
    const work = new Work(client, params.sessionId)
    const text = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
    for (const line of text.split('\n')) {
      const [, verb = '', rest = ''] = /^(\w+) ?(.*)$/u.exec(line) ?? []
      if (verb === 'refuse') return { stopReason: 'refusal' }
      await work.do(verb, rest)
      if (cancel.signal.aborted) return { stopReason: 'cancelled' }
    }
    return { stopReason: 'end_turn' }
  })
  .connect(
    ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  )

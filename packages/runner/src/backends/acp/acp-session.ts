import { Readable, Writable } from 'node:stream'
import {
  client,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientConnection,
  type ContentBlock,
  type McpServer,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk'
import type { SandboxProcess } from '../../sandbox/sandbox.ts'
import type { ProgramSetup, ToolServer, TurnError } from '../backend.ts'
import type { OpenSession } from '../turn/turn-course.ts'

/** A session of a running agent. */
export interface AcpSession extends OpenSession {
  /** False once nothing more can come from the agent. */
  isConnected(): boolean
  prompt(text: string): Promise<StopReason>
  cancel(): Promise<void>
}

export function connectAgent(
  { stdin, stdout }: SandboxProcess,
  onUpdate: (update: SessionUpdate) => void,
): ClientConnection {
  return client({ name: 'skein' })
    .onNotification('session/update', ({ params }) => onUpdate(params.update))
    .onRequest('session/request_permission', ({ params }) => grantPermission(params))
    .connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout)))
}

/** Returns an error if the agent lacks something we need. */
export async function openSession(
  { agent, signal }: ClientConnection,
  { workDir, tools, instructions, model }: ProgramSetup,
  backend: string,
): Promise<AcpSession | TurnError> {
  const { agentCapabilities } = await agent.request('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    // The agent handles files and commands itself: it is inside the sandbox, and we are not.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'skein', title: 'Skein', version: '1' },
  })
  if (tools.length > 0 && agentCapabilities?.mcpCapabilities?.http !== true) {
    return {
      kind: 'tools-unavailable',
      message: `The agent of backend ${backend} does not support tools over HTTP`,
    }
  }
  const mcpServers = tools.map(toMcpServer)
  const { sessionId } = await agent.request('session/new', { cwd: workDir, mcpServers })
  // The protocol has no other way to pass instructions.
  let preface = instructions
  return {
    session: { backend, id: sessionId, transcript: '' },
    model,
    isConnected: () => !signal.aborted,
    prompt: async (text) => {
      const prompt = [preface, text].filter(Boolean).map(toBlock)
      preface = ''
      const { stopReason } = await agent.request('session/prompt', { sessionId, prompt })
      return stopReason
    },
    cancel: () => agent.notify('session/cancel', { sessionId }),
  }
}

function toBlock(text: string): ContentBlock {
  return { type: 'text', text }
}

function toMcpServer({ name, url, token }: ToolServer): McpServer {
  return { type: 'http', name, url, headers: [{ name: 'Authorization', value: `Bearer ${token}` }] }
}

/** The sandbox decides what the agent may do. */
function grantPermission({ options }: RequestPermissionRequest): RequestPermissionResponse {
  const option =
    options.find(({ kind }) => kind === 'allow_always') ?? options.find(({ kind }) => kind === 'allow_once')
  if (!option) return { outcome: { outcome: 'cancelled' } }
  return { outcome: { outcome: 'selected', optionId: option.optionId } }
}

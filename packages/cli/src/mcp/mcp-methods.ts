import { SkeinClientError, type Agent, type Skein } from '@skein/client'
import { UsageError } from '../command-line/usage-error.ts'
import { readVersion } from '../version.ts'
import { AGENT_TOOLS, requireKnown } from './agent-tools.ts'
import { asObject, JsonRpcError, type Method, type Params } from './json-rpc.ts'

/** Newest first. The parts we use are the same in all of them. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

/** Instructions for the client's model. */
const INSTRUCTIONS = `Skein runs coding agents that work on their own, in the repositories of a workspace.
To hand work over: choose a workspace (list_workspaces) and, if one fits, a persona (list_personas), then spawn_agent with the whole task, because the agent knows nothing of this conversation.
Then wait_for_agent. When it answers with a question in needsInput, answer it with send_message and wait again; when it answers that the time is over, the agent is still working.
Agents are named workspace/agent, children workspace/agent/child. Each costs money: set maxCost where the person gave a limit.
stop_agent ends the run in progress and the agent can go on; kill_agent ends the agent and its children and cannot be undone, so ask the person first.`

export interface McpContext {
  readonly skein: Skein
  agent(name: string): Promise<Agent>
}

/** The part of the Model Context Protocol that a server with only tools must implement. */
export function mcpMethods(context: McpContext): ReadonlyMap<string, Method> {
  return new Map<string, Method>([
    ['initialize', initialize],
    ['ping', () => ({})],
    ['tools/list', listTools],
    ['tools/call', (params, signal) => callTool(params, { ...context, signal })],
  ])
}

function initialize({ protocolVersion }: Params): object {
  return {
    // A client that doesn't support the newest version disconnects.
    protocolVersion: VERSIONS.find((known) => known === protocolVersion) ?? VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'skein', title: 'Skein', version: readVersion() },
    instructions: INSTRUCTIONS,
  }
}

function listTools(): object {
  return {
    tools: AGENT_TOOLS.map(({ name, description, annotations, inputSchema }) => ({
      name,
      description,
      annotations,
      inputSchema,
    })),
  }
}

async function callTool(
  { name, arguments: input }: Params,
  reach: McpContext & { readonly signal: AbortSignal },
): Promise<object> {
  if (typeof name !== 'string') throw new JsonRpcError('params', 'name is required.')
  const tool = AGENT_TOOLS.find((known) => known.name === name)
  if (!tool) return answer(`Unknown tool: ${name}.`, true)
  try {
    const given = asObject(input)
    requireKnown(tool, given)
    return answer(JSON.stringify(await tool.run(given, reach)))
  } catch (error) {
    return answer(explain(error), true)
  }
}

function answer(text: string, isError = false): object {
  return { isError, content: [{ type: 'text', text }] }
}

/** Errors the client's model can fix. Anything else is our bug. */
function explain(error: unknown): string {
  const isTheirs =
    error instanceof SkeinClientError || error instanceof UsageError || error instanceof TypeError
  if (isTheirs) return error.message
  throw error
}

import { SkeinClientError } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../command-line/command-context.ts'
import { withExample } from '../command-line/examples.ts'
import { AGENT_TOOLS, requireKnown } from '../mcp/agent-tools.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { readVersion } from '../version.ts'

/** What a client's model is told before it sees the tools. */
const INSTRUCTIONS = `Skein runs coding agents that work on their own, in the repositories of a workspace.
To hand work over: choose a workspace (list_workspaces) and, if one fits, a persona (list_personas), then spawn_agent with the whole task, because the agent knows nothing of this conversation.
Then wait_for_agent. When it answers with a question in needsInput, answer it with send_message and wait again; when it answers that the time is over, the agent is still working.
Agents are named workspace/agent, children workspace/agent/child. Each costs money: set maxCost where the person gave a limit.
stop_agent ends the run in progress and the agent can go on; kill_agent ends the agent and its children and cannot be undone, so ask the person first.`

export function registerMcp(program: Command, context: CommandContext): void {
  const command = program
    .command('mcp')
    .summary('serve Skein to an MCP client, over standard input and output')
    .description(
      'Any MCP client, such as a coding agent in your editor, can then spawn and drive agents as you. ' +
        'For Claude Code: claude mcp add skein -- skein mcp',
    )
  withExample(command, 'skein mcp').action(() => serve(context))
}

async function serve(context: CommandContext): Promise<void> {
  // Loaded here, because no other command needs it.
  const { Server } = await import('@modelcontextprotocol/sdk/server/index.js')
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  const { CallToolRequestSchema, ListToolsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const skein = await context.skein()
  const server = new Server(
    { name: 'skein', title: 'Skein', version: readVersion() },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: AGENT_TOOLS.map(({ name, description, annotations, inputSchema }) => ({
      name,
      description,
      annotations: { ...annotations },
      inputSchema: { ...inputSchema, required: [...inputSchema.required] },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = AGENT_TOOLS.find(({ name }) => name === params.name)
    if (!tool) return answer(`There is no tool named ${params.name}.`, true)
    try {
      const input = params.arguments ?? {}
      requireKnown(tool, input)
      const reach = { skein, signal, agent: (name: string) => context.agent(name) }
      return answer(JSON.stringify(await tool.run(input, reach)))
    } catch (error) {
      return answer(explain(error), true)
    }
  })
  await server.connect(new StdioServerTransport())
  await new Promise<void>((resolve) => context.io.stdin.once('close', () => resolve()))
  await server.close()
}

function answer(text: string, isError = false) {
  return { isError, content: [{ type: 'text' as const, text }] }
}

/** The client's model can put these right; anything else is a fault of ours and ends the command. */
function explain(error: unknown): string {
  const isTheirs =
    error instanceof SkeinClientError || error instanceof UsageError || error instanceof TypeError
  if (isTheirs) return error.message
  throw error
}

import { SkeinClientError } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { withExample } from '../examples.ts'
import { AGENT_TOOLS } from '../mcp/agent-tools.ts'
import { UsageError } from '../usage-error.ts'

export function registerMcp(program: Command, context: CommandContext): void {
  const command = program
    .command('mcp')
    .summary('serve Skein to an MCP client, over standard input and output')
    .description(
      'Any MCP client, such as a coding agent in your editor, can then spawn and drive agents as you.',
    )
  withExample(command, 'skein mcp').action(() => serve(context))
}

async function serve(context: CommandContext): Promise<void> {
  // Loaded here, because no other command needs it.
  const { Server } = await import('@modelcontextprotocol/sdk/server/index.js')
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  const { CallToolRequestSchema, ListToolsRequestSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const skein = await context.skein()
  const server = new Server({ name: 'skein', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: AGENT_TOOLS.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, required: [...inputSchema.required] },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = AGENT_TOOLS.find(({ name }) => name === params.name)
    if (!tool) return answer(`There is no tool named ${params.name}.`, true)
    try {
      const reach = { skein, signal, agent: (name: string) => context.agent(name) }
      return answer(JSON.stringify(await tool.run(params.arguments ?? {}, reach)))
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

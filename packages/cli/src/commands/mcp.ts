import type { Command } from 'commander'
import type { CommandContext } from '../command-line/command-context.ts'
import { withExample } from '../command-line/examples.ts'
import { serveJsonRpc } from '../mcp/json-rpc.ts'
import { mcpMethods } from '../mcp/mcp-methods.ts'

export function registerMcp(program: Command, context: CommandContext): void {
  const command = program
    .command('mcp')
    .summary('serve Skein to an MCP client, over standard input and output')
    .description(
      'Any MCP client, such as a coding agent in your editor, can then spawn and drive agents on your behalf. ' +
        'For Claude Code: claude mcp add skein -- skein mcp',
    )
  withExample(command, 'skein mcp').action(async () => {
    const { io } = context
    const skein = await context.skein()
    const methods = mcpMethods({ skein, agent: (name) => context.agent(name) })
    await serveJsonRpc(io.stdin, methods, (line) => io.printExactly(line))
  })
}

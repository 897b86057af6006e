import type { IncomingMessage, ServerResponse } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

export interface ToolCall {
  readonly token: string
  readonly text: string
}

/** A real MCP server with one tool, `note`, for clients with a token. */
export class ToolServer {
  readonly calls: ToolCall[] = []
  readonly #tokens = new Set<string>()

  issueToken(token: string): void {
    this.#tokens.add(token)
  }

  readonly answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (!this.#tokens.has(token)) {
      response.writeHead(401).end()
      return
    }
    if (request.method !== 'POST') {
      response.writeHead(405).end()
      return
    }
    const server = this.#createServer(token)
    const transport = new StreamableHTTPServerTransport({})
    response.once('close', () => {
      void transport.close()
      void server.close()
    })
    await server.connect(transport)
    await transport.handleRequest(request, response)
  }

  #createServer(token: string): McpServer {
    const server = new McpServer({ name: 'skein', version: '0.0.0' })
    const annotations = { destructiveHint: false, openWorldHint: false }
    server.registerTool(
      'note',
      { description: 'Takes a note.', inputSchema: { text: z.string() }, annotations },
      async ({ text }) => {
        this.calls.push({ token, text })
        return { content: [{ type: 'text', text: `noted ${text}` }] }
      },
    )
    return server
  }
}

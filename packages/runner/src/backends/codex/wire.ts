import { z } from 'zod'

/** The parts of `codex app-server`'s messages we read. `codex app-server generate-ts` prints the full types. */

const ErrorDetails = z.object({ message: z.string(), codexErrorInfo: z.unknown() })
export type ErrorDetails = z.infer<typeof ErrorDetails>

export const ThreadOpened = z.object({
  model: z.string(),
  thread: z.object({ id: z.string(), path: z.string().nullish() }),
})

export const TurnStarted = z.object({ turn: z.object({ id: z.string() }) })

export const TurnCompleted = z.object({
  turn: z.object({
    id: z.string(),
    status: z.string(),
    error: ErrorDetails.nullish(),
  }),
})

export const ErrorNotice = z.object({ error: ErrorDetails, willRetry: z.boolean() })

export const Warning = z.object({ message: z.string() })

/** The conversation a message is about. The agent's own subagents have others. */
export const Addressed = z.object({ threadId: z.string() })

const Status = z.string()

const Item = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agentMessage'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), summary: z.array(z.string()), content: z.array(z.string()) }),
  z.object({
    type: z.literal('commandExecution'),
    id: z.string(),
    command: z.string(),
    status: Status,
    aggregatedOutput: z.string().nullish(),
    exitCode: z.number().nullish(),
  }),
  z.object({
    type: z.literal('fileChange'),
    id: z.string(),
    status: Status,
    changes: z.array(z.object({ path: z.string(), diff: z.string() })),
  }),
  z.object({
    type: z.literal('mcpToolCall'),
    id: z.string(),
    server: z.string(),
    tool: z.string(),
    status: Status,
    arguments: z.unknown(),
    result: z.object({ content: z.array(z.unknown()), structuredContent: z.unknown() }).nullish(),
    error: z.object({ message: z.string() }).nullish(),
  }),
])
export type Item = z.infer<typeof Item>

export const ItemNotice = z.object({ item: Item })

export const PermissionsRequest = z.object({
  permissions: z.object({ network: z.unknown(), fileSystem: z.unknown() }),
})

import type { JSONObject } from '@modelcontextprotocol/server'
import type { AgentApi } from './agent-api.ts'
import type { PullRequests } from './pull-requests.ts'
import type { TurnIntent } from './turn-intent.ts'

interface ToolContext {
  readonly api: AgentApi
  readonly intent: TurnIntent
  /** Absent if no repository of the agent is on a code host. */
  readonly pullRequests?: PullRequests | undefined
  /** The same only if a call is repeated. */
  readonly callId: string
}

export type ToolInput = Readonly<Record<string, unknown>>

/** Something an agent can do, with the description it reads. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, JSONObject>>
    readonly required?: readonly string[]
    readonly additionalProperties: false
  }
  /** Returns the text for the agent. Throws `ToolRefusal` for problems the agent can fix. */
  run(input: ToolInput, context: ToolContext): Promise<string>
}

/** The agent's instruction after it has declared how its turn ends. */
export const END_TURN = 'End your turn now.'

/** The schema of a string. */
export function text(description: string) {
  return { type: 'string', description } as const
}

/** Returned to the agent as the result of its call. */
export class ToolRefusal extends Error {}

export function textIn(input: ToolInput, name: string): string {
  const value = input[name]
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  throw new ToolRefusal(`${name} must be a string.`)
}

export function requireText(input: ToolInput, name: string): string {
  const value = textIn(input, name)
  if (value.trim() === '') throw new ToolRefusal(`${name} is required.`)
  return value
}

export function textsIn(input: ToolInput, name: string): readonly string[] {
  const value = input[name] ?? []
  if (Array.isArray(value) && value.every((part): part is string => typeof part === 'string')) return value
  throw new ToolRefusal(`${name} must be a list of strings.`)
}

import { formatAgentName, type Agent, type Skein } from '@skein/client'

/** Hints for clients about which calls need confirmation. */
interface Annotations {
  readonly title: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint: boolean
}

export interface AgentTool {
  readonly name: string
  readonly description: string
  readonly annotations: Annotations
  readonly inputSchema: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, object>>
    readonly required: readonly string[]
    readonly additionalProperties: false
  }
  run(input: ToolInput, reach: Reach): Promise<unknown>
}

type ToolInput = Readonly<Record<string, unknown>>

interface Reach {
  readonly skein: Skein
  agent(name: string): Promise<Agent>
  readonly signal: AbortSignal
}

/** Read-only. */
const reads = (title: string): Annotations => ({ title, readOnlyHint: true, openWorldHint: false })
/** Changes something without removing anything. */
const adds = (title: string): Annotations => ({ title, destructiveHint: false, openWorldHint: true })
/** Ends something irrevocably. */
const ends = (title: string): Annotations => ({
  title,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
})

const text = (description: string) => ({ type: 'string', description })
const agent = text('The agent, as workspace/agent/child.')
const MAX_WAIT_SECONDS = 600
const MAX_EVENTS = 200

/** The tools for MCP clients. Each is one operation of the service. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  {
    name: 'spawn_agent',
    annotations: adds('Spawn an agent'),
    description:
      'Starts a coding agent on a task. It works on its own; wait_for_agent returns when it needs you.',
    inputSchema: schema(
      {
        description: text('The complete task.'),
        name: text('A short name: a-z, 0-9 and -. Default: generated.'),
        workspace: text('The workspace: a name from list_workspaces. Default: chosen by the service.'),
        persona: text('The persona: a name from list_personas. Default: the workspace’s.'),
        model: text('The model. Default: the persona’s.'),
        maxCost: { type: 'number', minimum: 0, description: 'Budget in US dollars.' },
      },
      'description',
    ),
    async run(input, { skein }) {
      const { maxCost } = input
      const spawned = await skein.spawn({
        description: textIn(input, 'description'),
        ...given(input, 'name'),
        ...given(input, 'workspace'),
        ...(typeof input['persona'] === 'string' && { agent: input['persona'] }),
        ...given(input, 'model'),
        ...(typeof maxCost === 'number' && { maxCost }),
      })
      return { agent: spawned.name, dashboardUrl: spawned.dashboardUrl }
    },
  },
  {
    name: 'list_agents',
    annotations: reads('List agents'),
    description: 'Your agents, with their phase, question and cost.',
    inputSchema: schema({
      includeEnded: { type: 'boolean', description: 'Whether to include agents that have ended.' },
    }),
    async run(input, { skein }) {
      const agents = []
      for await (const entry of skein.agents({ includeTerminal: input['includeEnded'] === true })) {
        const { agentId, phase, needsInput, pendingReason, cost } = entry
        agents.push({ agent: formatAgentName(agentId), phase, needsInput, pendingReason, cost })
      }
      return { agents }
    },
  },
  listing(
    'workspace',
    'list_workspaces',
    'The workspaces that an agent can be spawned in, with their repositories.',
  ),
  listing(
    'persona',
    'list_personas',
    'The personas that an agent can be spawned with, and what each is for.',
  ),
  {
    name: 'agent_status',
    annotations: reads('Show an agent'),
    description: 'Everything about one agent: phase, last message, checklist, queue, cost.',
    inputSchema: schema({ agent }, 'agent'),
    run: async (input, reach) => (await named(input, reach)).status(),
  },
  {
    name: 'send_message',
    annotations: adds('Send a message'),
    description:
      'Sends a message to an agent. It is delivered with the next run, or with steer during the current one.',
    inputSchema: schema(
      {
        agent,
        message: text('The message.'),
        steer: { type: 'boolean', description: 'Whether to deliver it during the run in progress.' },
      },
      'agent',
      'message',
    ),
    run: async (input, reach) =>
      (await named(input, reach)).send(textIn(input, 'message'), { steer: input['steer'] === true }),
  },
  {
    name: 'continue_agent',
    annotations: adds('Continue an agent'),
    description:
      'Continues an agent that has ended, with its conversation and files, and sends it this message.',
    inputSchema: schema({ agent, message: text('The message.') }, 'agent', 'message'),
    async run(input, reach) {
      const continued = await (await named(input, reach)).continue(textIn(input, 'message'))
      return { agent: continued.name, dashboardUrl: continued.dashboardUrl }
    },
  },
  {
    name: 'wait_for_agent',
    annotations: reads('Wait for an agent'),
    description: 'Waits until an agent completes, fails or asks a question, and returns its status.',
    inputSchema: schema(
      {
        agent,
        seconds: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_WAIT_SECONDS,
          description: 'Maximum time to wait.',
        },
      },
      'agent',
    ),
    async run(input, reach) {
      const { seconds } = input
      const limit = typeof seconds === 'number' ? Math.min(seconds, MAX_WAIT_SECONDS) : MAX_WAIT_SECONDS
      return (await named(input, reach)).wait({ signal: reach.signal, timeoutMs: limit * 1000 })
    },
  },
  {
    name: 'read_events',
    annotations: reads('Read what happened'),
    description: 'What happened to an agent, oldest first: messages, tool calls, pushes, costs.',
    inputSchema: schema({ agent, after: text('Only events after this sequence number.') }, 'agent'),
    async run(input, reach) {
      const events = []
      for await (const event of (await named(input, reach)).timeline(given(input, 'after'))) {
        events.push(event)
        if (events.length === MAX_EVENTS) break
      }
      return { events }
    },
  },
  {
    name: 'stop_agent',
    annotations: ends('Stop the run in progress'),
    description: 'Ends the run in progress. The agent stays alive.',
    inputSchema: schema({ agent }, 'agent'),
    run: async (input, reach) => (await named(input, reach)).stop(),
  },
  {
    name: 'kill_agent',
    annotations: ends('Kill an agent'),
    description: 'Ends an agent and all its descendants. This cannot be undone.',
    inputSchema: schema({ agent }, 'agent'),
    async run(input, reach) {
      await (await named(input, reach)).kill()
      return {}
    },
  },
]

/** Names and descriptions of a kind, plus repositories for workspaces: what a client needs to choose one. */
function listing(kind: string, name: string, description: string): AgentTool {
  return {
    name,
    annotations: reads(`List ${kind}s`),
    description,
    inputSchema: schema({}),
    async run(_input, { skein, signal }) {
      const found = []
      for await (const resource of skein.catalog.list(kind, { signal })) {
        const { description: about = '', repos } = resource.document
        found.push({
          name: resource.name,
          description: about,
          ...(repos !== undefined && { repos: urlsOf(repos) }),
        })
      }
      return { [`${kind}s`]: found }
    },
  }
}

function urlsOf(repos: unknown): unknown[] {
  if (!Array.isArray(repos)) return []
  return repos.map((repo: unknown): unknown =>
    typeof repo === 'object' && repo !== null ? Reflect.get(repo, 'url') : repo,
  )
}

/** A misspelt argument must be reported: without it the call would mean something else. */
export function requireKnown({ name, inputSchema }: AgentTool, input: ToolInput): void {
  const known = Object.keys(inputSchema.properties)
  const unknown = Object.keys(input).filter((argument) => !known.includes(argument))
  if (unknown.length === 0) return
  throw new TypeError(
    `${name} has no argument ${unknown.join(', ')}. ` +
      (known.length === 0 ? 'It takes no arguments.' : `It takes: ${known.join(', ')}.`),
  )
}

function schema(
  properties: Readonly<Record<string, object>>,
  ...required: string[]
): AgentTool['inputSchema'] {
  return { type: 'object', properties, required, additionalProperties: false }
}

function named(input: ToolInput, reach: Reach): Promise<Agent> {
  return reach.agent(textIn(input, 'agent'))
}

function textIn(input: ToolInput, name: string): string {
  const value = input[name]
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${name} is required.`)
}

function given<Name extends string>(input: ToolInput, name: Name): Partial<Record<Name, string>> {
  const value = input[name]
  const part: Partial<Record<Name, string>> = {}
  if (typeof value === 'string' && value !== '') part[name] = value
  return part
}

import { createHash } from 'node:crypto'
import type { AgentEntry } from '@skein/contract'
import { isTerminal, phaseName } from '@skein/contract/facts'
import {
  END_TURN,
  requireText,
  text,
  textIn,
  textsIn,
  ToolRefusal,
  type Tool,
  type ToolInput,
} from './tool.ts'

const childName = text('The child’s name.')

export const CHILD_TOOLS: readonly Tool[] = [
  {
    name: 'spawn_child',
    description:
      'Starts a child agent that works on its own, with its own working folder and branch. It knows nothing about this ' +
      'conversation, so tell it everything it needs. Wait for it with wait_for_children.',
    inputSchema: {
      type: 'object',
      properties: {
        task: text('The complete task.'),
        name: text('A short name: a-z, 0-9 and -. Default: generated.'),
        expectedOutput: text('The expected result.'),
        persona: text('Its persona. Default: yours or the workspace’s.'),
        model: text('The model.'),
        reasoningEffort: text('The effort.'),
        outputSchema: { type: 'object', description: 'A JSON Schema for its answer.' },
        maxCost: { type: 'number', minimum: 0, description: 'Budget in US dollars.' },
      },
      required: ['task'],
      additionalProperties: false,
    },
    async run(input, { api, callId }) {
      const description = requireText(input, 'task')
      const given = textIn(input, 'name')
      const name = given === '' ? mintName(description, callId) : given
      await api.spawnChild(callId, {
        name,
        description,
        expectedOutput: textIn(input, 'expectedOutput'),
        persona: textIn(input, 'persona'),
        model: textIn(input, 'model'),
        reasoningEffort: textIn(input, 'reasoningEffort'),
        outputSchema: schemaIn(input),
        maxCost: costIn(input),
      })
      return JSON.stringify({ name })
    },
  },
  {
    name: 'list_children',
    description: 'Your children, with their phase, question and cost.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    async run(_input, { api }) {
      return JSON.stringify({ children: (await api.listChildren()).map(describeChild) })
    },
  },
  {
    name: 'message_child',
    description: 'Sends a message to a child. It gets the message in its next turn.',
    inputSchema: {
      type: 'object',
      properties: { name: childName, message: text('The message.') },
      required: ['name', 'message'],
      additionalProperties: false,
    },
    async run(input, { api, callId }) {
      const name = requireText(input, 'name')
      await api.messageChild(callId, name, requireText(input, 'message'))
      return `Sent to ${name}.`
    },
  },
  {
    name: 'wait_for_children',
    description:
      'Wakes you with the results of your children, once all of them have ended or one has a question. Waiting costs nothing.',
    inputSchema: {
      type: 'object',
      properties: {
        names: {
          type: 'array',
          items: { type: 'string' },
          description: 'Some of them. Default: all that have not ended.',
        },
      },
      additionalProperties: false,
    },
    async run(input, { api, intent }) {
      const all = await api.listChildren()
      const known = new Set(all.map(nameOf))
      const wanted = textsIn(input, 'names')
      const unknown = wanted.filter((name) => !known.has(name))
      if (unknown.length > 0) throw new ToolRefusal(`Child not found: ${unknown.join(', ')}.`)
      // Those that ended earlier have already been reported. Awaiting them again would end the wait immediately.
      const live = all.filter(({ phase }) => !isTerminal(phase)).map(nameOf)
      const children = wanted.length > 0 ? wanted : live
      if (children.length === 0) throw new ToolRefusal('You have no children to wait for.')
      intent.declare({ type: 'await', children })
      return `You will get the results of ${children.join(', ')} as messages. ${END_TURN}`
    },
  },
  {
    name: 'stop_child',
    description: 'Stops a child’s current run. With end, ends the child and all its descendants permanently.',
    inputSchema: {
      type: 'object',
      properties: {
        name: childName,
        end: { type: 'boolean', description: 'Whether to end it permanently.' },
      },
      required: ['name'],
      additionalProperties: false,
    },
    async run(input, { api, callId }) {
      const name = requireText(input, 'name')
      if (input['end'] === true) {
        await api.endChild(callId, name)
        return `${name} has ended.`
      }
      const { runCount, phase } = await api.readChild(name)
      if (phase !== 'PHASE_RUNNING') return `${name} has no run in progress.`
      await api.stopChild(callId, name, runCount)
      return `${name} was asked to stop.`
    },
  },
]

function describeChild(entry: AgentEntry) {
  const { phase, needsInput, cost } = entry
  return { name: nameOf(entry), phase: phaseName(phase), asks: needsInput, cost }
}

function nameOf({ agentId }: AgentEntry): string {
  return agentId.agent.at(-1) ?? ''
}

/** Readable, and the same if the call is repeated. */
function mintName(task: string, callId: string): string {
  const words = task.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const slug = words.slice(0, 3).join('-').slice(0, 32).replace(/-$/, '')
  const suffix = createHash('sha256').update(callId).digest('hex').slice(0, 6)
  return slug === '' ? `child-${suffix}` : `${slug}-${suffix}`
}

function schemaIn({ outputSchema }: ToolInput): string {
  return outputSchema === undefined ? '' : JSON.stringify(outputSchema)
}

function costIn({ maxCost }: ToolInput): number {
  if (maxCost === undefined) return 0
  if (typeof maxCost === 'number' && maxCost >= 0) return maxCost
  throw new ToolRefusal('maxCost must be a number of US dollars.')
}

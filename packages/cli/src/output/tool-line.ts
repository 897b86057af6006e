import type { TimelineEventRunToolCalled } from '@skein/client'
import type { Io } from '../io.ts'
import { shorten } from './clean-text.ts'

/** Width of the time, mark and spaces before it. */
const MARGIN = 18
const MAX_WIDTH = 120

type ToolCall = Pick<TimelineEventRunToolCalled, 'tool' | 'input' | 'output' | 'failed'>

/** One line: the tool, its input and its result, truncated to fit. */
export function toolLine(io: Io, { tool, input, output, failed }: ToolCall): string {
  const room = Math.min(io.width, MAX_WIDTH) - MARGIN
  // MCP tools are named mcp__server__tool.
  const name = shorten(tool.replace(/^mcp__(.+?)__/, '$1 '), 40)
  const given = shorten(givenText(input), Math.max(20, Math.floor((room - name.length) * 0.6)))
  const left = Math.max(10, room - name.length - given.length)
  return `${io.paint('cyan', `⚙ ${name}`)} ${given}${resultOf(io, shorten(resultText(output), left), failed)}`
}

function resultOf(io: Io, text: string, failed: boolean): string {
  if (failed) return io.paint('red', text === '' ? ' ✗ failed' : ` ✗ ${text}`)
  return text === '' ? '' : io.paint('dim', ` → ${text}`)
}

const TOOLS_WITH_EVENTS: ReadonlySet<string> = new Set(['create_task', 'update_task', 'spawn_child'])

/** Whether the call changed something that has its own line. A failed call did not. */
export function repeatsEvent({ tool, failed }: ToolCall): boolean {
  return !failed && TOOLS_WITH_EVENTS.has(tool.replace(/^mcp__skein__/, ''))
}

/** A command as it was run; otherwise the values, which say more than the field names. */
function givenText(input: string): string {
  const fields = parseFields(input)
  if (!fields) return input
  const { command } = fields
  if (typeof command === 'string') return command
  return Object.values(fields)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' ')
}

function resultText(output: string): string {
  const fields = parseFields(output)
  const { subject, status, message } = { subject: '', status: '', message: '', ...fields }
  const text = [subject, status, message].filter((part) => typeof part === 'string' && part !== '').join(' ')
  return text === '' ? output : text
}

function parseFields(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    // Truncated by the runner, or not JSON at all.
    return undefined
  }
}

import type { TurnEvent } from '../backend.ts'
import { isRecord } from '../../json.ts'
import type { Item } from './wire.ts'

interface ToolUse {
  readonly id: string
  readonly tool: string
  readonly input: string
}

/** Undefined for items reported only when finished. */
export function eventOfStarted(item: Item): TurnEvent | undefined {
  const use = toolUse(item)
  return use && { type: 'tool-started', ...use }
}

export function eventOfCompleted(item: Item): TurnEvent | undefined {
  switch (item.type) {
    case 'agentMessage':
      return { type: 'text', text: item.text }
    case 'reasoning': {
      const text = (item.summary.length > 0 ? item.summary : item.content).join('\n\n')
      return text === '' ? undefined : { type: 'thinking', text }
    }
    case 'commandExecution':
      return endTool(item, item.aggregatedOutput ?? '', (item.exitCode ?? 0) !== 0)
    case 'fileChange':
      return endTool(item, '', false)
    case 'mcpToolCall':
      return endTool(item, item.error?.message ?? resultText(item.result), item.error !== null)
  }
}

function endTool(item: Item & { status: string }, output: string, isError: boolean): TurnEvent | undefined {
  const use = toolUse(item)
  const hasFailed = isError || item.status === 'failed' || item.status === 'declined'
  return use && { type: 'tool-ended', ...use, output, isError: hasFailed }
}

function toolUse(item: Item): ToolUse | undefined {
  switch (item.type) {
    case 'commandExecution':
      return { id: item.id, tool: 'shell', input: item.command }
    case 'fileChange':
      return {
        id: item.id,
        tool: 'apply_patch',
        input: item.changes.map(describeChange).join('\n'),
      }
    case 'mcpToolCall': {
      const input = JSON.stringify(item.arguments) ?? ''
      return { id: item.id, tool: `mcp__${item.server}__${item.tool}`, input }
    }
    case 'agentMessage':
    case 'reasoning':
      return undefined
  }
}

function describeChange({ path, diff }: { path: string; diff: string }): string {
  return `${path}\n${diff}`
}

function resultText(result: (Item & { type: 'mcpToolCall' })['result']): string {
  const texts = (result?.content ?? []).map((part) =>
    isRecord(part) && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part),
  )
  return texts.join('\n')
}

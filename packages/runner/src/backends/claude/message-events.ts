import type { SDKAssistantMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import type { TurnEvent } from '../backend.ts'
import { isRecord } from '../../json.ts'

/** The program's tool for structured output. The turn's result shows it. */
export const OUTPUT_TOOL = 'StructuredOutput'

/** Turns the program's messages into events. Blocks are reported when they are complete. */
export class MessageEvents {
  readonly #calls = new Map<string, { readonly tool: string; readonly input: string }>()

  readAssistant({ message, error }: SDKAssistantMessage): TurnEvent[] {
    // The program reports provider errors as messages of the model.
    if (error) return []
    return message.content.flatMap((block): TurnEvent[] => {
      switch (block.type) {
        case 'text':
          return block.text === '' ? [] : [{ type: 'text', text: block.text }]
        case 'thinking':
          return block.thinking === '' ? [] : [{ type: 'thinking', text: block.thinking }]
        case 'tool_use':
          return block.name === OUTPUT_TOOL ? [] : [this.#start(block.id, block.name, block.input)]
        default:
          return []
      }
    })
  }

  readUser({ message }: Pick<SDKUserMessage, 'message'>): TurnEvent[] {
    if (typeof message.content === 'string') return []
    return message.content.flatMap((block): TurnEvent[] => {
      if (block.type !== 'tool_result') return []
      const { tool_use_id: id, content, is_error: isError = false } = block
      const call = this.#calls.get(id)
      if (!call) return []
      this.#calls.delete(id)
      return [{ type: 'tool-ended', id, ...call, output: toText(content), isError }]
    })
  }

  #start(id: string, tool: string, input: unknown): TurnEvent {
    const call = { tool, input: JSON.stringify(input) }
    this.#calls.set(id, call)
    return { type: 'tool-started', id, ...call }
  }
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .filter(isRecord)
    .map(({ type, text }) => (typeof text === 'string' ? text : `[${String(type)}]`))
    .join('\n')
}

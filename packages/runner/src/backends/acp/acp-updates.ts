import type { ContentBlock, SessionUpdate, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { TurnEvent } from '../backend.ts'

type TextKind = 'text' | 'thinking'

/** Turns an agent's updates into events. Messages and tool calls arrive in pieces. */
export class UpdateReader {
  readonly #emit: (event: TurnEvent) => void
  readonly #tools = new Map<string, ToolCallUpdate>()
  #kind: TextKind = 'text'
  #pieces: string[] = []

  constructor(emit: (event: TurnEvent) => void) {
    this.#emit = emit
  }

  read(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#addText('text', update.content)
      case 'agent_thought_chunk':
        return this.#addText('thinking', update.content)
      case 'tool_call':
      case 'tool_call_update':
        this.flush()
        return this.#readTool(update)
      default:
        return undefined
    }
  }

  /** A message ends where something else begins. */
  flush(): void {
    const text = this.#pieces.join('')
    this.#pieces = []
    if (text !== '') this.#emit({ type: this.#kind, text })
  }

  #addText(kind: TextKind, content: ContentBlock): void {
    if (kind !== this.#kind) this.flush()
    this.#kind = kind
    if (content.type === 'text') this.#pieces.push(content.text)
  }

  #readTool(update: ToolCallUpdate): void {
    const id = update.toolCallId
    const known = this.#tools.get(id)
    const call = { ...known, ...withoutNulls(update), toolCallId: id }
    const use = { id, tool: call.name ?? call.title ?? call.kind ?? 'tool', input: describeInput(call) }
    if (!known) this.#emit({ type: 'tool-started', ...use })
    const isEnded = call.status === 'completed' || call.status === 'failed'
    if (!isEnded) return void this.#tools.set(id, call)
    this.#tools.delete(id)
    const isError = call.status === 'failed'
    this.#emit({ type: 'tool-ended', ...use, output: describeOutput(call), isError })
  }
}

function withoutNulls(update: ToolCallUpdate): Partial<ToolCallUpdate> {
  return Object.fromEntries(
    Object.entries(update).filter(([, value]) => value !== null && value !== undefined),
  )
}

function describeInput({ rawInput, title }: ToolCallUpdate): string {
  return rawInput === undefined ? (title ?? '') : JSON.stringify(rawInput)
}

function describeOutput({ rawOutput, content }: ToolCallUpdate): string {
  const text = (content ?? []).map(describeContent).filter(Boolean).join('\n')
  return text === '' && rawOutput !== undefined ? JSON.stringify(rawOutput) : text
}

function describeContent(content: ToolCallContent): string {
  switch (content.type) {
    case 'content':
      return content.content.type === 'text' ? content.content.text : ''
    case 'diff':
      return content.path
    case 'terminal':
      return ''
  }
}

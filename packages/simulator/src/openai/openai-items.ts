import type { ToolCall } from './openai-tools.ts'
import { splitText, type Answer, type Frame } from '../protocol.ts'

/** A complete part of an answer. */
export type Item = { readonly id: string; readonly status?: string } & (
  | {
      readonly type: 'reasoning'
      readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[]
      readonly encrypted_content: string
    }
  | {
      readonly type: 'message'
      readonly role: 'assistant'
      readonly content: readonly { readonly type: 'output_text'; readonly text: string }[]
    }
  | (ToolCall & { readonly call_id: string })
)

export function streamEvent(type: string, data: object): Frame {
  return { kind: 'event', event: type, data }
}

/** Streams an item. One that is cut off never completes. */
export function* streamItem(item: Item, index: number, answer: Answer, isCutOff: boolean): Iterable<Frame> {
  yield streamEvent('response.output_item.added', { output_index: index, item: emptied(item) })
  const place = { item_id: item.id, output_index: index }
  const part = partOf(item)
  if (part.added) yield streamEvent(`response.${part.added.event}.added`, { ...place, ...part.added.data })
  for (const delta of splitText(part.text, answer.chunks)) {
    if (answer.chunkMs > 0) yield { kind: 'pause', ms: answer.chunkMs }
    yield streamEvent(`response.${part.event}.delta`, { ...place, ...part.place, delta })
  }
  if (isCutOff) return
  yield streamEvent(`response.${part.event}.done`, { ...place, ...part.place, [part.key]: part.text })
  if (part.added) {
    yield streamEvent(`response.${part.added.event}.done`, { ...place, ...part.place, part: part.whole })
  }
  yield streamEvent('response.output_item.done', { output_index: index, item })
}

/** The wire name of the text inside an item. */
function partOf(item: Item): {
  readonly event: string
  readonly key: string
  readonly text: string
  readonly place: object
  readonly added?: { readonly event: string; readonly data: object }
  readonly whole?: object | undefined
} {
  switch (item.type) {
    case 'reasoning': {
      const place = { summary_index: 0 }
      const added = {
        event: 'reasoning_summary_part',
        data: { ...place, part: { type: 'summary_text', text: '' } },
      }
      const [whole] = item.summary
      return { event: 'reasoning_summary_text', key: 'text', text: whole?.text ?? '', place, added, whole }
    }
    case 'message': {
      const place = { content_index: 0 }
      const empty = { type: 'output_text', annotations: [], logprobs: [], text: '' }
      const added = { event: 'content_part', data: { ...place, part: empty } }
      const [whole] = item.content
      return { event: 'output_text', key: 'text', text: whole?.text ?? '', place, added, whole }
    }
    case 'function_call':
      return { event: 'function_call_arguments', key: 'arguments', text: item.arguments, place: {} }
    case 'custom_tool_call':
      return { event: 'custom_tool_call_input', key: 'input', text: item.input, place: {} }
  }
}

function emptied(item: Item): object {
  switch (item.type) {
    case 'reasoning':
      return { ...item, summary: [] }
    case 'message':
      return { ...item, status: 'in_progress', content: [] }
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' }
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' }
  }
}

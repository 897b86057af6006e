import { bareToolName, type Entry } from '../conversation.ts'
import { isObject, listOf, objectOf, parseJson, textOf, type JsonObject } from '../json.ts'
import { answerIdIn } from '../protocol.ts'

const MODEL_ITEMS = new Set([
  'function_call',
  'custom_tool_call',
  'reasoning',
  'local_shell_call',
  'tool_search_call',
])
const RESULT_ITEMS = new Set(['function_call_output', 'custom_tool_call_output', 'tool_search_output'])
/** Calls that only wait for an earlier one. */
const POLLS = new Set(['write_stdin', 'wait'])

export function readInput(input: unknown): Entry[] {
  if (typeof input === 'string') return [{ kind: 'text', text: input }]
  const entries: Entry[] = []
  const known = new Set<string>()
  const polls = new Set<unknown>()
  const tools = new Map<unknown, string>()
  let isInAnswer = false
  for (const item of listOf(input).filter(isObject)) {
    if (isPoll(item)) {
      polls.add(item['call_id'])
    } else if (isResult(item) && polls.has(item['call_id'])) {
      extendLastResult(entries, resultText(item['output']))
    } else if (isModelItem(item)) {
      const id = answerIdIn(textOf(item['call_id'])) ?? answerIdIn(textOf(item['id']))
      const isKnown = id !== undefined && known.has(id)
      if (!isInAnswer && !isKnown) entries.push({ kind: 'answer' })
      if (id !== undefined) known.add(id)
      tools.set(item['call_id'], toolIn(item))
      isInAnswer = true
    } else {
      const read = readOtherItem(item, tools)
      if (read.length > 0) isInAnswer = false
      entries.push(...read)
    }
  }
  return entries
}

function isPoll(item: JsonObject): boolean {
  return item['type'] === 'function_call' && POLLS.has(textOf(item['name']))
}

/** In a script, a command has one result, however often it was polled. */
function extendLastResult(entries: Entry[], text: string): void {
  const index = entries.findLastIndex(({ kind }) => kind === 'result')
  const entry = entries[index]
  if (entry?.kind === 'result') entries[index] = { ...entry, text: entry.text + text }
}

function isResult(item: JsonObject): boolean {
  return RESULT_ITEMS.has(textOf(item['type']))
}

function isModelItem(item: JsonObject): boolean {
  return item['role'] === 'assistant' || MODEL_ITEMS.has(textOf(item['type']))
}

/** In code mode, the tool's name is in the JavaScript we generated. */
function toolIn(item: JsonObject): string {
  const inner = /await tools(?:\.|\[")(\w+)/u.exec(textOf(item['input']))?.[1]
  return bareToolName(inner ?? textOf(item['name']))
}

function readOtherItem(item: JsonObject, tools: ReadonlyMap<unknown, string>): Entry[] {
  if (isResult(item)) {
    const callId = textOf(item['call_id'])
    return [{ kind: 'result', callId, tool: tools.get(callId) ?? '', text: resultText(item['output']) }]
  }
  if (item['role'] !== 'user') return []
  const { content } = item
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  return listOf(content)
    .filter(isObject)
    .flatMap((part) => (part['type'] === 'input_text' ? [{ kind: 'text', text: textOf(part['text']) }] : []))
}

/** Codex puts a few lines about time and exit code before a tool's result. */
function resultText(output: unknown): string {
  const text = typeof output === 'string' ? output : textsOf(output).join('')
  return text.replace(/^(?:Chunk ID:|Wall time|Exit code:|Script )[^]*?\nOutput:\n?/u, '')
}

function textsOf(output: unknown): string[] {
  return listOf(output).map((part) => textOf(objectOf(part)['text']))
}

/** A command that is still running after the maximum time of a call. */
export function readPoll(input: unknown): { readonly name: string; readonly input: JsonObject } | undefined {
  const last = listOf(input).findLast(isObject)
  if (!last || !isResult(last)) return undefined
  const { output } = last
  const text = typeof output === 'string' ? output : textsOf(output).join('')
  const head = text.split('\nOutput:', 1)[0] ?? ''
  const session = /^Process running with session ID (\d+)/mu.exec(head)?.[1]
  if (session !== undefined) {
    return { name: 'write_stdin', input: { session_id: Number(session), chars: '', yield_time_ms: 30_000 } }
  }
  const cell = /^Script running with cell ID (\S+)/mu.exec(head)?.[1]
  return cell === undefined ? undefined : { name: 'wait', input: { cell_id: cell, yield_time_ms: 30_000 } }
}

export function readOutputSchema(body: JsonObject): JsonObject | undefined {
  const { schema } = objectOf(objectOf(body['text'])['format'])
  return isObject(schema) ? schema : undefined
}

/** Codex declares the purpose of a request. Anything except a turn is its own. */
export function isSideRequest(body: JsonObject): boolean {
  const metadata = textOf(objectOf(body['client_metadata'])['x-codex-turn-metadata'])
  const kind = textOf(objectOf(parseJson(metadata))['request_kind'])
  return kind !== '' && kind !== 'turn'
}

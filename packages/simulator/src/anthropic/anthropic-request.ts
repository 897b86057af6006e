import { bareToolName, type Entry } from '../conversation.ts'
import { isObject, listOf, objectOf, parseJson, textOf, type JsonObject } from '../json.ts'
import { answerIdIn } from '../protocol.ts'

/** Added by Claude Code in the model's name when a session is resumed. */
const FILLER = 'No response requested.'
/** Claude Code passes on messages to a working agent as a reminder. */
const INTERJECTION =
  /<system-reminder>\nThe user sent a new message while you were working:\n(?<text>[^]*?)\n\nThis is how Claude Code surfaces/gu

export function readMessages(messages: readonly unknown[]): Entry[] {
  const entries: Entry[] = []
  const known = new Set<string>()
  const tools = new Map<unknown, string>()
  const read = messages
    .filter(isObject)
    .map((message) => ({ role: message['role'], content: contentOf(message) }))
  for (const [index, { role, content }] of read.entries()) {
    if (role === 'assistant') {
      for (const { id, name } of content) tools.set(id, bareToolName(textOf(name)))
      if (isAnswer(content, read[index + 1]?.content) && !isContinued(content, known)) {
        entries.push({ kind: 'answer' })
      }
    } else if (role === 'user') {
      entries.push(...content.flatMap((block) => readUserBlock(block, tools)))
    } else {
      entries.push(...content.flatMap(({ text }) => readInterjections(textOf(text))))
    }
  }
  return entries
}

/** An interrupted answer stays in the conversation, but completes no step. */
function isAnswer(content: readonly JsonObject[], next: readonly JsonObject[] | undefined): boolean {
  if (content.some(({ type }) => type === 'tool_use')) return true
  if (content.every(({ text }) => textOf(text).trim() === FILLER)) return false
  return !textOf(next?.[0]?.['text']).startsWith('[Request interrupted by user')
}

function readInterjections(text: string): Entry[] {
  return [...text.matchAll(INTERJECTION)].map(({ groups }) => ({
    kind: 'text',
    text: groups?.['text'] ?? '',
  }))
}

function contentOf({ content }: JsonObject): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).filter(isObject)
}

/** Whether these are further calls of an answer already seen. Results may come in between. */
function isContinued(content: readonly JsonObject[], known: Set<string>): boolean {
  const ids = content.flatMap(({ type, id }) => (type === 'tool_use' ? (answerIdIn(textOf(id)) ?? []) : []))
  const isKnown = ids.some((id) => known.has(id))
  for (const id of ids) known.add(id)
  return isKnown
}

function readUserBlock(block: JsonObject, tools: ReadonlyMap<unknown, string>): Entry[] {
  if (block['type'] === 'text') {
    const text = textOf(block['text'])
    const interjections = readInterjections(text)
    return interjections.length > 0 ? interjections : [{ kind: 'text', text }]
  }
  if (block['type'] !== 'tool_result') return []
  const text = contentOf(block)
    .map((part) => textOf(part['text']))
    .join('\n')
  const callId = textOf(block['tool_use_id'])
  return [{ kind: 'result', callId, tool: tools.get(callId) ?? '', text }]
}

export function readToolNames(tools: unknown): ReadonlySet<string> {
  return new Set(listOf(tools).map((tool) => textOf(objectOf(tool)['name'])))
}

/** The tool Claude Code uses for structured output. */
export const OUTPUT_TOOL = 'StructuredOutput'

export function readOutputSchema(tools: unknown): JsonObject | undefined {
  const tool = listOf(tools)
    .filter(isObject)
    .find(({ name }) => name === OUTPUT_TOOL)
  const schema = tool?.['input_schema']
  return isObject(schema) ? schema : undefined
}

/** Claude Code puts an object with its session into the user id field. */
export function readSession(body: JsonObject): string {
  const userId = textOf(objectOf(body['metadata'])['user_id'])
  return textOf(objectOf(parseJson(userId))['session_id']) || userId
}

/** A program's own request, such as a title or a quota check: it has no tools, or no room for an answer. */
export function isSideRequest(body: JsonObject): boolean {
  const isFromProgram = readSession(body) !== ''
  return body['max_tokens'] === 1 || (isFromProgram && listOf(body['tools']).length === 0)
}

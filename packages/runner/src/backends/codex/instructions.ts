import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { isRecord, parseJson } from '../../json.ts'

const OPEN = '<agent_instructions>\n'
const CLOSE = '\n</agent_instructions>'

/** As shown to the model, and as found again in a transcript. */
export function wrapInstructions(instructions: string): string {
  return `${OPEN}${instructions}${CLOSE}`
}

/** A message that replaces the instructions of an existing conversation. */
export function replaceInstructions(instructions: string): object {
  const text = `These instructions replace all earlier ones:\n${wrapInstructions(instructions)}`
  return { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] }
}

/**
 * The instructions of a conversation. Codex gives them to the model only at the start, so they are in the
 * transcript, and the ones we pass when resuming are ignored.
 */
export async function readInstructions(transcript: string): Promise<string> {
  let latest = ''
  const lines = createInterface({ input: createReadStream(transcript), crlfDelay: Infinity })
  for await (const line of lines) {
    // Most lines are long, and parsing all of them is slow.
    if (line.includes('"developer"') && line.includes('<agent_instructions>')) {
      latest = findInLine(parseJson(line)) ?? latest
    }
  }
  return latest
}

function findInLine(line: unknown): string | undefined {
  const item = isRecord(line) ? line['payload'] : undefined
  if (!isRecord(item) || item['role'] !== 'developer' || !Array.isArray(item['content'])) return undefined
  for (const part of item['content']) {
    const text: unknown = isRecord(part) ? part['text'] : undefined
    const start = typeof text === 'string' ? text.indexOf(OPEN) : -1
    if (typeof text === 'string' && start >= 0) {
      return text.slice(start + OPEN.length, text.lastIndexOf(CLOSE))
    }
  }
  return undefined
}

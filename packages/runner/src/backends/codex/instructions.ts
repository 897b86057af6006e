import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { isRecord, parseJson } from '../../json.ts'

const OPEN = '<agent_instructions>\n'
const CLOSE = '\n</agent_instructions>'

/** As the model sees them, and as we find them again in a transcript. */
export function wrapInstructions(instructions: string): string {
  return `${OPEN}${instructions}${CLOSE}`
}

/** The message that has to be added to a conversation that was begun with other instructions. */
export function replaceInstructions(instructions: string): object {
  const text = `These instructions take the place of all earlier ones:\n${wrapInstructions(instructions)}`
  return { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] }
}

/**
 * The instructions that a conversation goes by. Codex gives them to the model only when a conversation begins, so they
 * are in the transcript from then on, and what we ask for when we take it up is not.
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

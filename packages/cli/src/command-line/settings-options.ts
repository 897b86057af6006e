import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { collect } from './repeated.ts'
import { UsageError } from './usage-error.ts'

/** Set at spawn. A message may change them from then on. */
export interface SettingsOptions {
  readonly persona?: string
  readonly model?: string
  readonly effort?: string
  readonly tier?: string
  readonly fast?: boolean
  readonly schema?: string
  readonly task?: readonly string[]
}

export function addSettings(command: Command): Command {
  return command
    .option('--persona <name>', 'the persona')
    .option('--model <name>', 'the model')
    .option('--effort <effort>', 'how hard the model thinks, such as low, medium or high')
    .option('--tier <tier>', 'the service tier, on backends that have tiers')
    .option('--fast', 'trade cost for speed')
    .option('--no-fast', 'disable fast mode')
    .option('--schema <json>', 'JSON Schema of the output; @file reads it from a file')
    .option('--task <subject>', 'a task for the checklist; may be repeated', collect)
}

export async function readSettings(options: SettingsOptions) {
  const { persona, model, effort, tier, fast, schema, task } = options
  return {
    ...(persona !== undefined && { agent: persona }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { reasoningEffort: effort }),
    ...(tier !== undefined && { serviceTier: tier }),
    ...(fast !== undefined && { fastMode: fast }),
    ...(schema !== undefined && { outputSchema: await readSchema(schema) }),
    ...(task && { tasks: task.map((subject) => ({ subject })) }),
  }
}

async function readSchema(text: string): Promise<string> {
  if (!text.startsWith('@')) return text
  try {
    return await readFile(text.slice(1), 'utf8')
  } catch {
    throw new UsageError(`${text.slice(1)} cannot be read.`, 'Give --schema @path/to/schema.json')
  }
}

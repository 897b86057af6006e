import type { OutputSchema, SpawnFields } from '@skein/client'
import { quoteWord } from './shell-quote.ts'

/** The equivalent CLI command. */
export function formatSpawnCommand(fields: SpawnFields, parent?: string): string {
  const { description } = fields
  const options: readonly (readonly [flag: string, value?: string | undefined] | false)[] = [
    parent === undefined
      ? fields.workspace !== undefined && ['--workspace', fields.workspace]
      : ['--child-of', parent],
    fields.name !== undefined && ['--name', fields.name],
    fields.expectedOutput !== undefined && ['--expect', fields.expectedOutput],
    fields.agent !== undefined && ['--persona', fields.agent],
    fields.model !== undefined && ['--model', fields.model],
    fields.reasoningEffort !== undefined && ['--effort', fields.reasoningEffort],
    fields.serviceTier !== undefined && ['--tier', fields.serviceTier],
    fields.fastMode !== undefined && [fields.fastMode ? '--fast' : '--no-fast'],
    fields.outputSchema !== undefined && ['--schema', toText(fields.outputSchema)],
    ...(fields.tasks ?? []).map(({ subject }) => ['--task', subject] as const),
    fields.maxCost !== undefined && ['--max-cost', String(fields.maxCost)],
    ...Object.entries(fields.labels ?? {}).map(([name, value]) => ['--label', `${name}=${value}`] as const),
    fields.autoComplete === true && ['--auto-complete'],
    // Otherwise the description would be parsed as an option.
    description.startsWith('-') && ['--'],
    // Without a description, the command reads it from standard input.
    description !== '' && [quoteWord(description)],
  ]
  const lines = options.filter((option) => option !== false).map((option) => formatOption(option))
  return ['skein spawn', ...lines].join(' \\\n  ')
}

function formatOption([flag, value]: readonly [string, value?: string | undefined]): string {
  return value === undefined ? flag : `${flag} ${quoteWord(value)}`
}

function toText(schema: OutputSchema): string {
  return typeof schema === 'string' ? schema : JSON.stringify(schema)
}

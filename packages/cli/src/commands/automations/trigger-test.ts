import type { TestTriggerResponse } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { parseResources } from '../../documents/parse-resources.ts'
import { readSources } from '../../documents/read-sources.ts'

interface TestOptions {
  readonly body?: string
  readonly header: readonly string[]
}

export function registerTriggerTest(triggers: Command, context: CommandContext): void {
  const command = triggers
    .command('test')
    .summary('show what a trigger would do with a request, without doing it')
    .argument('<file>', 'the file with the trigger; it need not be applied yet')
    .option('--body <file>', 'the body of the request; default: {}')
    .option('--header <name=value>', 'a header of the request; may be repeated', collect, [])
  withExample(
    command,
    'skein triggers test tickets.yaml --body issue.json --header x-github-event=issues',
  ).action(async (file: string, { body, header }: TestOptions) => {
    const [{ name, document } = noTrigger(file)] = (await readText(context, file)).flatMap(
      ({ source, text }) => parseResources(text, source, []).filter(({ kind }) => kind === 'trigger'),
    )
    const [sent] = body === undefined ? [] : await readText(context, body)
    const sample = { name, body: sent?.text ?? '{}', headers: Object.fromEntries(header.map(parseHeader)) }
    const result = await (await context.skein()).triggers.test(document, sample)
    context.print(result, () => formatResult(result))
  })
}

function readText(context: CommandContext, path: string) {
  return readSources(context.io, [path])
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value]
}

function parseHeader(text: string): [string, string] {
  const [name = '', ...value] = text.split('=')
  if (name !== '' && value.length > 0) return [name.toLowerCase(), value.join('=')]
  throw new UsageError(`${text} is not a header.`, 'Write it as --header x-github-event=issues.')
}

function noTrigger(file: string): never {
  throw new UsageError(`${file} has no trigger.`, 'Use a file with a resource of the kind trigger.')
}

function formatResult({ outcome, reason, agent, description, message }: TestTriggerResponse): string {
  if (reason !== '') return `${outcome.toLowerCase()}: ${reason}`
  const start = description === '' ? [] : [`Starts ${agent}:`, description]
  if (outcome !== 'SENT') return start.join('\n')
  const send = [`Sends to ${agent}:`, message]
  return [...send, ...(start.length > 0 ? ['', 'If it is not alive:', ...start] : [])].join('\n')
}

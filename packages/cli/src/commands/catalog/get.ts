import type { Resource } from '@skein/client'
import { formatResource } from '@skein/resource-files'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { shorten } from '../../output/clean-text.ts'
import { formatTable } from '../../output/table.ts'

export function registerGet(program: Command, context: CommandContext): void {
  const command = program
    .command('get')
    .summary('show kinds, resources of a kind, or one resource')
    .description('A single resource is printed in the format that apply reads, with its generation.')
    .argument('[kind]', 'such as workspace or persona')
    .argument('[name]', 'the resource')
  withExample(command, 'skein get persona reviewer > reviewer.md').action(
    async (kind: string | undefined, name: string | undefined) => {
      if (kind === undefined) await printKinds(context)
      else if (name === undefined) await printList(context, kind)
      else await printResource(context, kind, name)
    },
  )
}

async function printKinds(context: CommandContext): Promise<void> {
  const kinds = await (await context.skein()).catalog.kinds()
  context.print({ kinds }, () => formatTable(kinds.map(({ kind, summary }) => [kind, summary])))
}

async function printList(context: CommandContext, kind: string): Promise<void> {
  const { io } = context
  const resources: Resource[] = []
  for await (const resource of (await context.skein()).catalog.list(kind)) resources.push(resource)
  context.print({ kind, resources }, () => {
    if (resources.length === 0) return `There is no ${kind}.`
    const rows = resources.map(({ name, generation, document }) => {
      const { description } = document
      return [
        name,
        generation === '0' ? 'built-in' : generation,
        shorten(typeof description === 'string' ? description : '', 80),
      ]
    })
    return formatTable([
      ['NAME', 'GENERATION', 'DESCRIPTION'].map((title) => io.paint('dim', title)),
      ...rows,
    ])
  })
}

async function printResource(context: CommandContext, kind: string, name: string): Promise<void> {
  const { catalog } = await context.skein()
  const resource = await catalog.get(kind, name)
  const kinds = context.isJson ? [] : await catalog.kinds()
  const bodyField = kinds.find((description) => description.kind === kind)?.bodyField
  if (context.isJson) context.print(resource, () => '')
  else
    context.io.printExactly(
      formatResource(withBase(resource), bodyField === '' ? undefined : bodyField).trimEnd(),
    )
}

/** Of the server-set fields, only the generation is kept: the others cannot be written. */
export function withBase(resource: Resource) {
  const { metadata: _served, ...fields }: Record<string, unknown> = { ...resource.document }
  const { kind, name, generation } = resource
  return { kind, name, document: generation === '0' ? fields : { ...fields, metadata: { generation } } }
}

import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatResource } from '@skein/resource-files'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { findOneTimeSecret, printOneTimeSecret } from '../../documents/one-time-secret.ts'
import { parseResources } from '../../documents/parse-resources.ts'
import { readMarkdownKinds } from '../../documents/markdown-kinds.ts'
import { setting, type Environment } from '../../profile/environment.ts'
import { withExample } from '../../command-line/examples.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { withBase } from './get.ts'

export function registerEdit(program: Command, context: CommandContext): void {
  const command = program
    .command('edit')
    .summary('change a resource in your editor')
    .description('Opens VISUAL or EDITOR. Changes that others make in the meantime are not overwritten.')
    .argument('<kind>', 'such as workspace or persona')
    .argument('<name>', 'the resource')
    .option('--justification <text>', 'why, for the audit')
  withExample(command, 'skein edit persona reviewer').action(
    async (kind: string, name: string, { justification }: { readonly justification?: string }) => {
      const { catalog } = await context.skein()
      const current = await catalog.get(kind, name)
      const kinds = await catalog.kinds()
      const markdown = readMarkdownKinds(kinds)
      const bodyField = markdown.find((entry) => entry.kind === kind)?.bodyField
      const folder = await mkdtemp(join(tmpdir(), 'skein-edit-'))
      const file = join(folder, `${name}.${bodyField === undefined ? 'yaml' : 'md'}`)
      const before = formatResource(withBase(current), bodyField)
      await writeFile(file, before, { mode: 0o600 })
      openEditor(context.io.env, file)
      const after = await readFile(file, 'utf8')
      if (after === before) {
        await rm(folder, { recursive: true })
        context.print({ kind, name, changed: false }, () => 'Nothing was changed.')
        return
      }
      try {
        const [resource] = parseResources(after, file, markdown)
        if (!resource) throw new UsageError('The file is empty.', 'To delete the resource: skein delete')
        const { generation, document } = await catalog.put(kind, name, resource.document, {
          ifGeneration: current.generation,
          ...(justification !== undefined && { justification }),
        })
        await rm(folder, { recursive: true })
        const description = kinds.find((entry) => entry.kind === kind)
        const secret = findOneTimeSecret(description ?? {}, document)
        if (secret !== undefined) printOneTimeSecret(context, { kind, name }, secret)
        const secrets = secret && { [secret.field]: secret.value }
        context.print(
          { kind, name, changed: true, generation, ...(secrets && { secrets }) },
          () => `${kind}/${name} is now at generation ${generation}.`,
        )
      } catch (error) {
        context.io.note(`Your text is kept in ${file}`)
        throw error
      }
    },
  )
}

function openEditor(env: Environment, file: string): void {
  const editor = setting(env, 'VISUAL') ?? setting(env, 'EDITOR') ?? 'vi'
  // Through a shell, because EDITOR may contain options.
  const { status } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
  if (status !== 0) throw new UsageError(`The editor ${editor} failed.`, 'Set EDITOR to a working one.')
}

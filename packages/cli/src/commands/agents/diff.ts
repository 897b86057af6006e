import type { Agent, Diff, DiffFile } from '@skein/client'
import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { withExample } from '../../command-line/examples.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { fetchDiffs } from '../../diff/fetch-diffs.ts'
import { shorten } from '../../output/clean-text.ts'
import { formatFile, formatStat, paintDiff } from '../../diff/format-diff.ts'

interface DiffOptions {
  readonly stat?: boolean
  readonly file?: string
  readonly push?: string
  readonly fetch?: boolean
}

export function registerDiff(program: Command, context: CommandContext): void {
  const command = program
    .command('diff')
    .summary('show what an agent has pushed, compared with the branch it started from')
    .description(
      'Shows what the runner recorded when the agent pushed. Large diffs are not recorded completely: --fetch gets the ' +
        'branch with your own git and your own access. Unpushed work is not shown.',
    )
    .argument('<agent>', 'workspace/agent/child')
    .option('--stat', 'only list changed files with the number of changed lines')
    .option('--file <path>', 'only this file')
    .option('--push <commit>', 'only what the push of this commit changed')
    .option('--fetch', 'fetch the branch with git, into the clone you are in or into a temporary one')
  withExample(command, 'skein diff shop/release').action(async (name: string, options: DiffOptions) => {
    const agent = await context.agent(name)
    if (options.fetch !== true) return showRecorded(context, agent, options)
    if (options.file !== undefined || options.push !== undefined)
      throw new UsageError('--fetch shows whole branches.', 'Leave --file and --push out.')
    return fetchDiffs(context, agent, options.stat ?? false)
  })
}

async function showRecorded(
  context: CommandContext,
  agent: Agent,
  { stat = false, file, push }: DiffOptions,
): Promise<void> {
  const found = await agent.diffs()
  const chosen =
    push === undefined ? found.filter(({ scope }) => scope === 'branch') : [findPush(found, push)]
  const shown: (Diff & { files: readonly DiffFile[] })[] = []
  for (const diff of chosen) shown.push({ ...diff, files: await readFiles(agent, diff, file, !stat) })
  if (file !== undefined && shown.length > 0 && shown.every(({ files }) => files.length === 0))
    throw new UsageError(`The diff has no file ${file}.`, 'skein diff --stat lists the files.')
  if (push === undefined) await noteMissing(context, agent, found)
  if (context.isJson) return context.print({ agent: agent.name, diffs: shown }, () => '')
  for (const { files, ...diff } of shown) {
    const isWhole = file === undefined
    if (stat) context.io.print(formatStat(isWhole ? diff : undefined, files))
    else for (const each of files) context.io.print(paintDiff(context.io, formatFile(each)))
    noteOmitted(context, isWhole ? diff.fileCount - files.length : 0, files)
  }
}

async function readFiles(
  agent: Agent,
  { diffId }: Diff,
  path: string | undefined,
  withPatches: boolean,
): Promise<DiffFile[]> {
  const files: DiffFile[] = []
  for await (const file of agent.diffFiles(diffId, { withPatches: withPatches && path === undefined })) {
    if (path === undefined) files.push(file)
    else if (file.path === path || file.oldPath === path)
      files.push(...(await agent.readDiff(diffId, { file: file.index, withPatches })).files)
  }
  return files
}

/** The first push of a branch is the whole branch. */
function findPush(diffs: readonly Diff[], commit: string): Diff {
  const pushes = diffs.filter(({ scope }) => scope === 'push')
  const found = [...pushes, ...diffs].find((diff) => commit !== '' && diff.commit.startsWith(commit))
  if (found) return found
  const known = [...new Set(diffs.map((diff) => diff.commit.slice(0, 12)))].join(', ')
  throw new UsageError(
    `No diff of the push ${commit} is recorded.`,
    known === '' ? 'The agent has not pushed anything.' : `These are: ${known}. Older ones are not kept.`,
  )
}

async function noteMissing(context: CommandContext, agent: Agent, diffs: readonly Diff[]): Promise<void> {
  const { branches } = await agent.status()
  if (branches.length === 0 && diffs.length === 0) context.note(`${agent.name} has not pushed anything.`)
  for (const { branch, commit } of branches) {
    if (commit === '' || diffs.some((diff) => diff.commit === commit)) continue
    context.note(
      `No diff of ${shorten(branch, 200)} at ${shorten(commit, 12)} is recorded yet. Try again in a moment, or use --fetch.`,
    )
  }
}

function noteOmitted(context: CommandContext, unlisted: number, files: readonly DiffFile[]): void {
  const omitted = files.filter(({ isOmitted }) => isOmitted).length
  if (unlisted > 0)
    context.note(
      `${unlisted} more ${unlisted === 1 ? 'file is' : 'files are'} not listed. --fetch shows all.`,
    )
  if (omitted > 0)
    context.note(
      `The content of ${omitted} ${omitted === 1 ? 'file' : 'files'} is not shown because the diff is too large. --fetch shows it.`,
    )
}

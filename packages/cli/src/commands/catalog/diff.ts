import type { Command } from 'commander'
import type { CommandContext } from '../../command-line/command-context.ts'
import { diffBranch } from '../../diff/branch-diff.ts'
import { GitError } from '../../diff/git.ts'
import { readPushedBranches, type PushedBranch } from '../../diff/pushed-branches.ts'
import { withExample } from '../../command-line/examples.ts'
import type { Io } from '../../io.ts'
import { UsageError } from '../../command-line/usage-error.ts'

export function registerDiff(program: Command, context: CommandContext): void {
  const command = program
    .command('diff')
    .summary('show what an agent has pushed, compared with the branch it started from')
    .description(
      'The service stores no code. This command fetches the branch from the repository with your own git and your ' +
        'own access, into the clone you are in or into a temporary one. Unpushed work is not shown.',
    )
    .argument('<agent>', 'workspace/agent/child')
    .option('--stat', 'only list changed files with the number of changed lines')
  withExample(command, 'skein diff shop/release').action(
    async (name: string, { stat = false }: { readonly stat?: boolean }) => {
      const agent = await context.agent(name)
      const branches = await readPushedBranches(agent.timeline())
      if (branches.length === 0) context.note(`${agent.name} has not pushed anything.`)
      const baseOf = await readBaseBranches(context, agent.id.workspace)
      const diffs = []
      for (const branch of branches) {
        const request = { ...branch, baseBranch: baseOf(branch.repo), stat }
        const diff = await fetching(branch, () => diffBranch(request, process.cwd(), context.io.env))
        diffs.push({ ...branch, diff })
      }
      if (context.isJson) context.print({ agent: agent.name, branches: diffs }, () => '')
      else for (const { diff } of diffs) context.io.print(paintDiff(context.io, diff.trimEnd()))
    },
  )
}

/** The branch each repository is compared with, from the current workspace. */
async function readBaseBranches(
  context: CommandContext,
  workspace: string,
): Promise<(repo: string) => string> {
  const { document } = await (await context.skein()).catalog.get('workspace', workspace)
  const repos: unknown = document['repos']
  const bases = new Map(
    Array.isArray(repos)
      ? repos.map((repo: unknown) => [textOf(repo, 'url'), textOf(repo, 'baseBranch')])
      : [],
  )
  return (repo) => bases.get(repo) ?? ''
}

function textOf(value: unknown, field: string): string {
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined
  return typeof text === 'string' ? text : ''
}

async function fetching(branch: PushedBranch, work: () => Promise<string>): Promise<string> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    const { repo, ref, commit } = branch
    throw new UsageError(
      `Cannot fetch ${ref.replace(/^refs\/heads\//, '')} (${commit.slice(0, 10)}) from ${repo}: ${error.message}`,
      'Check with git fetch that you have access to the repository.',
    )
  }
}

function paintDiff(io: Io, diff: string): string {
  return diff
    .split('\n')
    .map((line) => {
      if (/^(diff|index|\+\+\+|---) /.test(line)) return io.paint('bold', line)
      if (line.startsWith('@@')) return io.paint('cyan', line)
      if (line.startsWith('+')) return io.paint('green', line)
      return line.startsWith('-') ? io.paint('red', line) : line
    })
    .join('\n')
}

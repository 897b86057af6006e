import type { Agent } from '@skein/client'
import type { CommandContext } from '../command-line/command-context.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { diffBranch } from './branch-diff.ts'
import { paintDiff } from './format-diff.ts'
import { GitError } from './git.ts'
import { readPushedBranches, type PushedBranch } from './pushed-branches.ts'

/** Shows the agent's branches with the caller's own git and access. */
export async function fetchDiffs(context: CommandContext, agent: Agent, stat: boolean): Promise<void> {
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

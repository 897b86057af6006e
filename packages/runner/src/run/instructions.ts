import type { Assignment } from '@skein/contract'

export interface Surroundings {
  /** The agent's branch; empty without a repository. */
  readonly branch: string
  /** Folders of the repositories, if there are several. */
  readonly repoNames: readonly string[]
  /** The repository's own guide for agents. */
  readonly guide: string
  readonly canUseGit: boolean
}

/** Appended to the program's own prompt: who the agent is, how it works with us, and what its repository asks for. */
export function buildInstructions(
  assignment: Pick<Assignment, 'prompt' | 'agentId' | 'repos' | 'draftAtPush'>,
  surroundings: Surroundings,
): string {
  const { prompt, agentId } = assignment
  const parts = [
    prompt,
    houseRules(agentId.agent.join('/')),
    gitRules(surroundings),
    surroundings.canUseGit && hasCodeHost(assignment) ? pullRequestRules(assignment) : '',
    surroundings.guide === '' ? '' : `# From the repository\n\n${surroundings.guide}`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function pullRequestRules({ draftAtPush }: Pick<Assignment, 'draftAtPush'>): string {
  const draft = 'When you first push, a draft pull request is opened for your branch.'
  return draftAtPush === true ? `${draft} ${PULL_REQUESTS}` : PULL_REQUESTS
}

const PULL_REQUESTS =
  'When your work is pushed and ready to be merged, call open_pull_request, unless you were told not to. Then end your turn without calling finish: review comments and failing checks are sent to you, and you are told when it is merged.'

/** Whether the agent can open pull requests. */
export function hasCodeHost({ repos }: Pick<Assignment, 'repos'>): boolean {
  return repos.some(({ access }) => access !== undefined)
}

function houseRules(name: string): string {
  return [
    '# How you work',
    '',
    `You are the agent ${name}. Nobody watches you while you work; you talk to people and other agents through the tools of the server \`skein\`:`,
    '- Keep your checklist up to date: list_tasks, create_task, update_task.',
    '- When you need a decision, ask_for_input and end your turn. The answer starts your next turn.',
    '- For work that splits well, spawn_child, then wait_for_children and end your turn.',
    '- When everything is done and pushed, call finish, then end your turn.',
  ].join('\n')
}

function gitRules({ branch, repoNames, canUseGit }: Surroundings): string {
  if (branch === '') return ''
  const where = repoNames.length > 1 ? ` The repositories are the folders ${repoNames.join(', ')}.` : ''
  return canUseGit
    ? `Your branch is \`${branch}\`.${where} Commit often and push it with \`git push -u origin HEAD\`; other branches cannot be pushed.`
    : `Your branch is \`${branch}\`.${where} Commit your work; this environment has no network, so it cannot be pushed.`
}

import { createHash } from 'node:crypto'

/** What an agent is called on disk and upstream. */
export interface AgentNames {
  /** Stands for the agent where its identity would be too long or too telling. */
  readonly hash: string
  /** The one branch that it pushes to. */
  readonly branch: string
  /** Where its unfinished work is kept. */
  readonly savedRef: string
  readonly person: { readonly name: string; readonly email: string }
}

export interface AgentIdentity {
  /** The agent's whole identity as text: two agents never share one. */
  readonly agentKey: string
  /** The part of it that the path is unique in: tenant, workspace and owner. */
  readonly scope: string
  readonly path: readonly string[]
}

/** Without the branch, which other agents may have: `listBranches` says which ones it can be. */
export function nameAgent({ agentKey, path }: AgentIdentity): Omit<AgentNames, 'branch'> {
  const hash = digest(agentKey).slice(0, 32)
  return {
    hash,
    savedRef: `refs/skein/wip/${hash}`,
    person: { name: `Skein agent ${path.join('/')}`, email: `${path.join('.')}@agents.skein.invalid` },
  }
}

/**
 * The branches that an agent can have, best first. Agents of one tree get the same ending, so that a parent can tell
 * the branches of its children.
 */
export function listBranches({ agentKey, scope, path }: AgentIdentity): [string, ...string[]] {
  // With slashes, a parent's branch and its child's could not both exist.
  const joined = path.join('.')
  const branch = `skein/${joined}`
  return [
    // Git takes no name that ends in .lock.
    joined.endsWith('.lock') ? `${branch}_` : branch,
    `${branch}-${digest(scope).slice(0, 8)}`,
    `${branch}-${digest(agentKey).slice(0, 32)}`,
  ]
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

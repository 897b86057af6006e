import { createHash } from 'node:crypto'

/** An agent's names on disk and upstream. */
export interface AgentNames {
  /** Stands for the agent where its identity would be too long or reveal too much. */
  readonly hash: string
  /** The one branch it pushes to. */
  readonly branch: string
  /** Where its unfinished work is saved. */
  readonly savedRef: string
  readonly person: { readonly name: string; readonly email: string }
}

export interface AgentIdentity {
  /** The agent's complete identity as text, unique per agent. */
  readonly agentKey: string
  /** The part within which the path is unique: tenant, workspace and owner. */
  readonly scope: string
  readonly path: readonly string[]
}

/** Without the branch, which another agent may have: `listBranches` returns the candidates. */
export function nameAgent({ agentKey, path }: AgentIdentity): Omit<AgentNames, 'branch'> {
  const hash = digest(agentKey).slice(0, 32)
  return {
    hash,
    savedRef: `refs/skein/wip/${hash}`,
    person: { name: `Skein agent ${path.join('/')}`, email: `${path.join('.')}@agents.skein.invalid` },
  }
}

/**
 * An agent's candidate branches, best first. Agents of one tree get the same suffix, so that a parent can tell its
 * children's branches.
 */
export function listBranches({ agentKey, scope, path }: AgentIdentity): [string, ...string[]] {
  // With slashes, a parent's and its child's branch could not both exist.
  const joined = path.join('.')
  const branch = `skein/${joined}`
  return [
    // Git rejects names that end in .lock.
    joined.endsWith('.lock') ? `${branch}_` : branch,
    `${branch}-${digest(scope).slice(0, 8)}`,
    `${branch}-${digest(agentKey).slice(0, 32)}`,
  ]
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

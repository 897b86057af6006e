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

/** `key` is the agent's whole identity as text: two agents never share one. */
export function nameAgent(key: string, path: readonly string[]): AgentNames {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 32)
  const joined = path.join('.')
  return {
    hash,
    // With slashes, a parent's branch and its child's could not both exist. Git takes no name that ends in .lock.
    branch: `skein/${joined.endsWith('.lock') ? `${joined}_` : joined}`,
    savedRef: `refs/skein/wip/${hash}`,
    person: { name: `Skein agent ${path.join('/')}`, email: `${joined}@agents.skein.invalid` },
  }
}

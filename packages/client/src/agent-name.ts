import { isName, MAX_DEPTH } from '@skein/contract/facts'
import type { AgentIdInput } from './generated/types.ts'

/**
 * An agent that a request can be sent to: what is left out comes from the key.
 *
 * @example
 * import type { AgentAddress } from '@skein/client'
 *
 * const address: AgentAddress = { workspace: 'shop', agent: ['release', 'docs'] }
 */
export type AgentAddress = AgentIdInput & { readonly workspace: string; readonly agent: readonly string[] }

/**
 * Reads `workspace/agent/child`. Throws a `TypeError` that says what is wrong when it is not such a name.
 *
 * @example
 * import { parseAgentName } from '@skein/client'
 *
 * parseAgentName('shop/release/docs') // { workspace: 'shop', agent: ['release', 'docs'] }
 */
export function parseAgentName(name: string): AgentAddress {
  const [workspace = '', ...agent] = name.split('/')
  const areNames = [workspace, ...agent].every(isName)
  if (areNames && agent.length >= 1 && agent.length <= MAX_DEPTH) return { workspace, agent }
  throw new TypeError(
    `An agent is named workspace/agent or workspace/agent/child, in a-z, 0-9 and -, not ${JSON.stringify(name)}`,
  )
}

/**
 * Writes an agent's id as `workspace/agent/child`.
 *
 * @example
 * import { formatAgentName } from '@skein/client'
 *
 * formatAgentName({ workspace: 'shop', agent: ['release', 'docs'] }) // 'shop/release/docs'
 */
export function formatAgentName({ workspace = '', agent = [] }: AgentIdInput): string {
  return [workspace, ...agent].join('/')
}

/** The path of a root (`release`) or, below it, of a child (`release/docs`). */
export function parsePath(path: string): readonly string[] {
  return path.split('/')
}

import { isName, MAX_DEPTH } from '@skein/contract/facts'
import type { AgentIdInput } from './generated/types.ts'

/**
 * The agent a request is for. Missing parts come from the key.
 *
 * @example
 * import type { AgentAddress } from '@skein/client'
 *
 * const address: AgentAddress = { workspace: 'shop', agent: ['release', 'docs'] }
 */
export type AgentAddress = AgentIdInput & { readonly workspace: string; readonly agent: readonly string[] }

/**
 * Parses `workspace/agent/child`. Throws a `TypeError` that explains what is wrong.
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
    `An agent’s name is workspace/agent or workspace/agent/child, of a-z, 0-9 and -, not ${JSON.stringify(name)}`,
  )
}

/**
 * Formats an agent's id as `workspace/agent/child`.
 *
 * @example
 * import { formatAgentName } from '@skein/client'
 *
 * formatAgentName({ workspace: 'shop', agent: ['release', 'docs'] }) // 'shop/release/docs'
 */
export function formatAgentName({ workspace = '', agent = [] }: AgentIdInput): string {
  return [workspace, ...agent].join('/')
}

/** The path of a root (`release`) or of a child (`release/docs`). */
export function parsePath(path: string): readonly string[] {
  return path.split('/')
}

import type { AgentId } from '@skein/client'
import { Link } from '@tanstack/react-router'
import { agentLink } from '../../format/agent-link.ts'

/** The workspace and the ancestors, with links. */
export function Breadcrumb({
  agentId,
  team,
  isLinked,
}: {
  readonly agentId: AgentId
  /** That owns the workspace; empty for none. */
  readonly team: string
  readonly isLinked: boolean
}) {
  const ancestors = agentId.agent.slice(0, -1)
  return (
    <nav aria-label="Ancestors" className="min-w-0 text-xs text-muted">
      <ol className="flex min-w-0 flex-wrap items-center gap-x-1">
        <li className="min-w-0 truncate">
          {agentId.account} / {agentId.workspace}
          {team !== '' && ` (team ${team})`}
        </li>
        {ancestors.map((name, index) => (
          <li key={agentId.agent.slice(0, index + 1).join('/')} className="flex min-w-0 items-center gap-1">
            <span aria-hidden>/</span>
            {isLinked ? (
              <Link
                {...agentLink({ ...agentId, agent: agentId.agent.slice(0, index + 1) })}
                className="min-w-0 truncate text-accent-text underline"
              >
                {name}
              </Link>
            ) : (
              <span className="min-w-0 truncate">{name}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

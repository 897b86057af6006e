import { Link } from '@tanstack/react-router'
import { agentLink } from '../../format/agent-link.ts'
import { useIdentity } from '../../session/identity.ts'

/** The agent that a trigger or a schedule started or wrote to. */
export function AgentOfProfile({
  workspace,
  agent,
  account,
}: {
  readonly workspace: string
  readonly agent: string
  readonly account: string
}) {
  const { tenant } = useIdentity()
  if (agent === '' || account === '') return null
  const ownerProvider = 'PROVIDER_SERVICE_PROFILE'
  return (
    <Link
      {...agentLink({ tenant, ownerProvider, account, workspace, agent: [agent] })}
      className="min-w-0 break-all text-accent-text hover:underline"
    >
      {workspace}/{agent}
    </Link>
  )
}

import { isTerminal, type AgentStatus } from '@skein/client'
import { explainNoDrive } from '../../session/drive-rights.ts'
import { useIdentity } from '../../session/identity.ts'
import { Composer } from './composer/composer.tsx'
import type { Drive } from './drive.ts'

/** The composer, or why there is none. */
export function AgentFoot({
  status,
  drive,
}: {
  readonly status: AgentStatus
  readonly drive: Drive | undefined
}) {
  const identity = useIdentity()
  if (isTerminal(status.phase)) {
    return (
      <Reason>
        This agent has ended and takes no more messages. Spawn it again under the same name to go on.
      </Reason>
    )
  }
  if (drive === undefined)
    return <Reason>{explainNoDrive(identity, status.agentId, 'write to this agent')}</Reason>
  return <Composer status={status} drive={drive} />
}

function Reason({ children }: { readonly children: string }) {
  return (
    <p className="shrink-0 border-t border-line bg-surface px-4 py-2.5 text-center text-sm text-muted">
      {children}
    </p>
  )
}

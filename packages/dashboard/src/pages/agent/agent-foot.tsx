import { isTerminal, type AgentStatus } from '@skein/client'
import { useState } from 'react'
import { explainNoDrive } from '../../session/drive-rights.ts'
import { useIdentity } from '../../session/identity.ts'
import { Composer } from './composer/composer.tsx'
import { ContinueComposer } from './composer/continue-composer.tsx'
import type { Drive } from '../../agent/drive.ts'

/** The composer, or why there is none. */
export function AgentFoot({
  status,
  drive,
  hasAside,
}: {
  readonly status: AgentStatus
  readonly drive: Drive | undefined
  /** Whether the conversation above leaves space for a checklist. */
  readonly hasAside: boolean
}) {
  const identity = useIdentity()
  const [text, setText] = useState('')
  if (drive === undefined)
    return <Reason>{explainNoDrive(identity, status.agentId, 'write to this agent')}</Reason>
  const Shown = isTerminal(status.phase) ? ContinueComposer : Composer
  return <Shown status={status} drive={drive} hasAside={hasAside} text={text} onType={setText} />
}

function Reason({ children }: { readonly children: string }) {
  return (
    <p className="shrink-0 border-t border-line bg-surface px-4 py-2.5 text-center text-sm text-muted">
      {children}
    </p>
  )
}

import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { readAgentParams } from '../../format/agent-link.ts'
import { skein } from '../../session/skein.ts'
import { MissingAgent } from '../../agent/agent-states.tsx'
import { LiveAgent } from './live-agent.tsx'

export function AgentPage() {
  const params = useParams({ from: '/shell/agents/$provider/$account/$workspace/$' })
  const { provider, account, workspace, _splat = '' } = params
  const address = useMemo(
    () => readAgentParams({ provider, account, workspace, _splat }),
    [provider, account, workspace, _splat],
  )
  const agent = useMemo(() => (address === undefined ? undefined : skein.agent(address)), [address])
  if (agent === undefined) return <MissingAgent name={`${workspace}/${_splat}`} />
  // A new page per agent: nothing typed or opened is carried over.
  return <LiveAgent key={`${provider}/${account}/${agent.name}`} agent={agent} />
}

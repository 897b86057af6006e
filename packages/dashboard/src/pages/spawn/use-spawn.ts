import type { AgentAddress, SpawnFields } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { agentLink } from '../../format/agent-link.ts'
import { skein } from '../../session/skein.ts'
import { toastSuccess } from '../../ui/toasts.tsx'
import { makeRandomId } from './random-id.ts'

/** Spawns, and goes to the agent. */
export function useSpawn(parent: AgentAddress | undefined) {
  const navigate = useNavigate()
  const last = useRef({ request: '', key: '' })
  return useMutation({
    mutationFn: (fields: SpawnFields) => {
      const request = JSON.stringify([fields, parent])
      // The same request keeps its key: sent again after a lost answer, it must not spawn a second agent.
      if (last.current.request !== request) last.current = { request, key: makeRandomId() }
      const options = { idempotencyKey: last.current.key }
      if (parent === undefined) return skein.spawn(fields, options)
      const { workspace: _workspace, agentId: _agentId, ...rest } = fields
      return skein.agent(parent).spawn(rest, options)
    },
    onSuccess: (agent) => {
      toastSuccess(`Spawned ${agent.name}.`)
      void navigate(agentLink(agent.id))
    },
  })
}

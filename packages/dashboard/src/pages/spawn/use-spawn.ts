import type { AgentAddress, SpawnFields } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { agentLink } from '../../format/agent-link.ts'
import { skein } from '../../session/skein.ts'
import { useSendOnce } from '../../session/use-send-once.ts'
import { toastSuccess } from '../../ui/toasts.tsx'

/** Spawns the agent and opens its page. */
export function useSpawn(parent: AgentAddress | undefined) {
  const navigate = useNavigate()
  const sendOnce = useSendOnce()
  return useMutation({
    mutationFn: (fields: SpawnFields) =>
      sendOnce([fields, parent], ({ idempotencyKey }) => {
        if (parent === undefined) return skein.spawn(fields, { idempotencyKey })
        const { workspace: _workspace, agentId: _agentId, ...rest } = fields
        return skein.agent(parent).spawn(rest, { idempotencyKey })
      }),
    onSuccess: (agent) => {
      toastSuccess(`Spawned ${agent.name}.`)
      void navigate(agentLink(agent.id))
    },
  })
}

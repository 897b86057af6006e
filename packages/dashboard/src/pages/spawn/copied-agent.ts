import { SkeinApiError, type AgentAddress, type AgentStatus } from '@skein/client'
import { queryOptions } from '@tanstack/react-query'
import { makeRandomId } from '../../format/random-id.ts'
import { skein } from '../../session/skein.ts'
import { numberName, toCopyForm } from './copy-form.ts'
import type { SpawnForm } from './spawn-form.ts'

const MAX_TRIES = 10

/** The form for a copy of this agent. Read once, so that edits are kept. */
export function copyFormQuery(address: AgentAddress) {
  return queryOptions({
    queryKey: ['copy-form', address],
    queryFn: async ({ signal }): Promise<SpawnForm> => {
      const status = await skein.agent(address).status({ signal })
      return toCopyForm(status, await findFreeName(status, signal))
    },
    staleTime: Infinity,
    gcTime: 0,
  })
}

/** A name no agent has, not even an ended one: spawning over it would start its next incarnation. */
async function findFreeName({ agentId }: AgentStatus, signal: AbortSignal): Promise<string> {
  const { agent, workspace } = agentId
  const last = agent.at(-1) ?? 'copy'
  // A root belongs to the caller who spawns it, a child to its parent's owner.
  const owner = agent.length === 1 ? { workspace } : agentId
  for (let count = 1; count <= MAX_TRIES; count += 1) {
    const name = numberName(last, count)
    const other = skein.agent({ ...owner, agent: [...agent.slice(0, -1), name] })
    if (await isFree(() => other.status({ signal }))) return name
  }
  return `copy-${makeRandomId().slice(0, 8)}`
}

async function isFree(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read()
    return false
  } catch (error) {
    if (error instanceof SkeinApiError && error.code === 'NOT_FOUND') return true
    throw error
  }
}

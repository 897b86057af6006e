import type { AgentEntry, Skein } from '@skein/client'
import { isAtRest } from '@skein/contract/facts'
import { UsageError } from '../command-line/usage-error.ts'
import { DEMO_AGENTS, DEMO_LABELS, type DemoAgent } from './demo-agents.ts'
import { createDemoPlace, findDemoPlace, type DemoPlace } from './demo-place.ts'

/** Checked for all agents: the tenant's own key would be sent along even if no model is needed. */
export async function requireNoKey(skein: Skein): Promise<void> {
  const { document } = await skein.catalog.get('backend', 'a')
  if (!document['credential']) return
  throw new UsageError(
    'The demo never uses a provider key, and the backend a of this Skein names one as its credential.',
    'Run skein demo in an empty folder.',
  )
}

export interface MadeDemo extends DemoPlace {
  /** Whether this call spawned an agent. */
  readonly isNew: boolean
}

/** Creates what is missing, so that an interrupted demo is completed. */
export async function makeDemo(skein: Skein, folder: string): Promise<MadeDemo> {
  const place = (await findDemoPlace(skein, folder)) ?? (await createDemoPlace(skein, folder))
  const present = new Set((await listDemoAgents(skein, place)).map(nameOf))
  const missing = DEMO_AGENTS.filter(({ name }) => !present.has(name))
  for (const agent of missing) await spawn(skein, place, agent)
  return { ...place, isNew: missing.length > 0 }
}

export async function listDemoAgents(skein: Skein, { workspace }: DemoPlace): Promise<AgentEntry[]> {
  const entries: AgentEntry[] = []
  for await (const entry of skein.agents({ labels: DEMO_LABELS, includeTerminal: true })) {
    if (entry.agentId.workspace === workspace) entries.push(entry)
  }
  return entries
}

/**
 * Waits until every agent has reached the state it demonstrates. Returns those that came to rest in another state,
 * and those that were still missing when the signal was aborted.
 */
export async function untilShown(
  skein: Skein,
  { workspace }: DemoPlace,
  signal: AbortSignal,
): Promise<{ readonly odd: readonly string[]; readonly late: readonly string[] }> {
  const open = new Map(DEMO_AGENTS.map((agent) => [agent.name, agent]))
  const odd: string[] = []
  for await (const entry of skein.watchAgents({ labels: DEMO_LABELS, includeTerminal: true }, { signal })) {
    const agent = entry.agentId.workspace === workspace ? open.get(nameOf(entry)) : undefined
    if (agent === undefined || !(agent.isShown(entry) || isAtRest(entry.phase))) continue
    open.delete(agent.name)
    if (!agent.isShown(entry)) odd.push(agent.name)
    if (open.size === 0) break
  }
  return { odd, late: [...open.keys()] }
}

export function nameOf({ agentId }: Pick<AgentEntry, 'agentId'>): string {
  return agentId.agent[0] ?? ''
}

async function spawn(skein: Skein, { workspace }: DemoPlace, agent: DemoAgent): Promise<void> {
  const { name, description, tasks, deferred } = agent
  const spawned = await skein.spawn({ name, workspace, description, tasks, labels: DEMO_LABELS })
  if (deferred === undefined) return
  const deliverAt = new Date(Date.now() + deferred.inMs).toISOString()
  await spawned.send(deferred.text, { id: deferred.id, deliverAt })
}

import type { AgentEntry, AgentStatus, Task, TimelineEvent, WaitReason } from '@skein/contract'
import { isTerminal } from '@skein/contract/facts'
import { agentKey, agentNotFound, isVisible, openTasks, type AgentState } from '@skein/core'
import {
  AgentReader,
  type AgentFilter,
  type ReadPosition,
  type StatusRecord,
  type TimelineSpan,
} from '@skein/store'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, TIME_AND_ID, type Page } from '../paging.ts'
import type { EngineResources } from '../resources.ts'
import { readDescribing, toEntry, toStatus, type ListedTenant } from './describe-agent.ts'
import type { AgentTarget } from '../commands/agent-target.ts'
import { completeEvents, findEvents } from '../timelines/read-events.ts'
import { toTimelineEvent } from './to-timeline-event.ts'

export async function readStatus(engine: EngineResources, target: AgentTarget): Promise<AgentStatus> {
  return describeStatus(engine, target, await readStatusRecord(engine, target))
}

export async function readStatusRecord(
  { statusReader }: EngineResources,
  target: AgentTarget,
): Promise<StatusRecord> {
  const record = await statusReader.read(target.tenantId, agentKey(target.identity))
  if (!record || !isVisible(record.agent, target)) throw agentNotFound()
  return record
}

export async function describeStatus(
  engine: EngineResources,
  target: AgentTarget,
  record: StatusRecord,
): Promise<AgentStatus> {
  return toStatus(record, await readDescribing(engine, target, [record.agent]))
}

export async function findAgent(engine: EngineResources, target: AgentTarget): Promise<AgentState> {
  const agent = await engine.database.readForTenant(target.tenantId, (transaction) =>
    new AgentReader(transaction).find(agentKey(target.identity)),
  )
  if (!isVisible(agent, target)) throw agentNotFound()
  return agent
}

export async function readTasks(
  engine: EngineResources,
  target: AgentTarget,
): Promise<{ tasks: Task[]; openTaskIds: string[] }> {
  const { tasks, run } = await findAgent(engine, target)
  const open = openTasks(tasks, run?.activeTaskIds ?? [])
  return { tasks: [...tasks], openTaskIds: open.map(({ id }) => id) }
}

/** Old events may come from a replica. Its end is not the end of the timeline, so that comes from the primary. */
export async function readTimeline(
  engine: EngineResources,
  target: AgentTarget,
  place: { after: bigint; limit: number },
  position: ReadPosition,
): Promise<{ events: TimelineEvent[]; lastSequence: string }> {
  const page = await readEvents(engine, target, place, position)
  if (!engine.reads.replica || position === 'latest' || page.events.length === place.limit) return page
  return readEvents(engine, target, place, 'latest')
}

async function readEvents(
  engine: EngineResources,
  target: AgentTarget,
  { after, limit }: { after: bigint; limit: number },
  position: ReadPosition,
): Promise<{ events: TimelineEvent[]; lastSequence: string }> {
  const { agent, found } = await engine.reads.forTenant(target.tenantId, position, async (transaction) => {
    const known = await new AgentReader(transaction).find(agentKey(target.identity))
    if (!isVisible(known, target)) throw agentNotFound()
    const span = { ...spanOf(known, target, after), limit }
    return { agent: known, found: await findEvents(transaction, known, span) }
  })
  const { events, isCut } = await completeEvents(engine, target.tenantId, found)
  const page = {
    events: events.map((event) => toTimelineEvent(event, agent.identity, target.tenant)),
    lastSequence: agent.sequence.toString(),
  }
  const last = events.at(-1)
  if (!isCut || !last) return page
  const place = { after: last.sequence, limit: limit - events.length }
  const rest = await readEvents(engine, target, place, position)
  return { ...rest, events: [...page.events, ...rest.events] }
}

/** A caller limited to one incarnation sees no other's events, including any added since the agent was read. */
function spanOf(agent: AgentState, { incarnation }: AgentTarget, after: bigint): TimelineSpan {
  if (incarnation === undefined) return { after }
  const beforeLife = agent.firstSequence - 1n
  return { after: after > beforeLife ? after : beforeLife, until: agent.sequence }
}

/** Why an agent needs attention; unspecified if it doesn't. */
export function attentionOf({ phase }: Pick<AgentState, 'phase'>): WaitReason {
  switch (phase) {
    case 'PHASE_COMPLETED':
      return 'WAIT_REASON_COMPLETED'
    case 'PHASE_FAILED':
      return 'WAIT_REASON_FAILED'
    case 'PHASE_CANCELED':
      return 'WAIT_REASON_CANCELED'
    case 'PHASE_WAITING':
      return 'WAIT_REASON_WAITING'
    default:
      return 'WAIT_REASON_UNSPECIFIED'
  }
}

export async function listAgents(
  engine: EngineResources,
  { tenantId, tenant }: ListedTenant,
  filter: Omit<AgentFilter, 'before'>,
  page: Page,
  position: ReadPosition,
): Promise<{ entries: AgentEntry[]; nextPageToken: string }> {
  const [at, id] = decodePageToken('agents', page, TIME_AND_ID) ?? []
  const before = at === undefined || id === undefined ? undefined : { at: Number(at), id }
  const pageSize = pageSizeOf(page)
  const agents = await engine.reads.readForTenant(tenantId, position, (transaction) =>
    new AgentReader(transaction).list({ ...filter, before }, pageSize + 1),
  )
  requireSeenOnly(agents, filter.workspaces)
  const { shown, last } = splitPage(agents, pageSize)
  const facts = await readDescribing(engine, { tenantId, tenant }, shown)
  return {
    entries: shown.map((agent) => toEntry(agent, facts)),
    nextPageToken: last === undefined ? '' : encodePageToken('agents', [last.createdAt.toString(), last.id]),
  }
}

/**
 * The statements leave out what is hidden. A statement that does not is a bug, which must not become a leak: it fails
 * here, before anything is answered.
 */
export function requireSeenOnly(
  agents: readonly Pick<AgentState, 'identity'>[],
  workspaces: readonly string[] | undefined,
): void {
  if (!workspaces) return
  const seen = new Set(workspaces)
  if (!agents.every(({ identity }) => seen.has(identity.workspace)))
    throw new Error('A list has an agent that its caller may not see')
}

/** Whether an agent belongs on a list. Must match the list's SQL. */
export function isListed(agent: AgentState, filter: Omit<AgentFilter, 'before'>, parentKey: string): boolean {
  const { owner, phases } = filter
  if (filter.parentKey !== parentKey) return false
  if (filter.workspaces && !filter.workspaces.includes(agent.identity.workspace)) return false
  if (owner && (owner.provider !== agent.identity.ownerProvider || owner.account !== agent.identity.account))
    return false
  if (!filter.includeTerminal && isTerminal(agent.phase)) return false
  if (phases && !phases.includes(agent.phase)) return false
  return Object.entries(filter.labels).every(([name, value]) => agent.labels[name] === value)
}

import { toListRequest, type AgentFilter } from './agent-filter.ts'
import type { Connection } from './call/connection.ts'
import { followStream, type WatchOptions } from './stream/follow-stream.ts'
import type { AgentEntry, AgentId, AgentStatus } from './generated/types.ts'
import { isTerminal } from './phase.ts'
import { pause, TimeLimit } from './call/time-limit.ts'

/** After this time the service has sent the initial list, even if it is empty. */
const LIST_READ_MS = 1_000

/** A reopened stream starts with the whole list: entries already reported are skipped. */
export async function* watchAgents(
  connection: Connection,
  filter: AgentFilter,
  options: WatchOptions,
): AsyncGenerator<AgentEntry, void> {
  const given = new Map<string, { readonly agentId: AgentId; readonly text: string }>()
  const stream = {
    name: 'watchAgents',
    open: (onOpen: () => void) => openList(connection, filter, { given, signal: options.signal, onOpen }),
  }
  for await (const entry of followStream(stream, connection.options, options)) {
    const key = keyOf(entry.agentId)
    const text = JSON.stringify(entry)
    const isRepeat = given.get(key)?.text === text
    if (isListed(entry, filter)) given.set(key, { agentId: entry.agentId, text })
    else given.delete(key)
    if (!isRepeat) yield entry
  }
}

interface OpenOptions {
  readonly given: ReadonlyMap<string, { readonly agentId: AgentId }>
  readonly signal: AbortSignal | undefined
  onOpen(): void
}

/** One connection. Entries missing once the list was read have left it, and are requested individually. */
async function* openList(
  connection: Connection,
  filter: AgentFilter,
  { given, signal: caller, onOpen }: OpenOptions,
): AsyncGenerator<AgentEntry, void> {
  const limit = new TimeLimit(0, caller)
  const { signal } = limit
  const opening = Promise.withResolvers<void>()
  const listRead = opening.promise.then(() => pause(LIST_READ_MS, signal))
  const open = { signal, onOpen: () => opening.resolve(onOpen()) }
  const events = connection.stream('watchAgents', { body: toListRequest(filter) }, open)
  const unseen = new Map(canLeave(filter) ? given : [])
  try {
    let next = events.next()
    for (;;) {
      if (unseen.size > 0 && (await isFirst(listRead, next))) {
        const leavers = [...unseen.values()]
        unseen.clear()
        for (const { agentId } of leavers)
          yield toEntry(await connection.call('agentStatus', { body: { agentId } }, { signal }))
      }
      const { done, value } = await next
      if (done === true) return
      unseen.delete(keyOf(value.agentId))
      yield value
      next = events.next()
    }
  } finally {
    limit.abort()
    limit.dispose()
    // A lost stream has already reported it.
    await events.return().catch(() => {})
  }
}

/** The caller checks the other promise later, or leaves. In the latter case its failure doesn't matter. */
async function isFirst(candidate: Promise<unknown>, other: Promise<unknown>): Promise<boolean> {
  const wins = candidate.then(() => true)
  return Promise.race([other.then(() => false), wins]).catch(() => false)
}

function canLeave({ includeTerminal = false, phases = [] }: AgentFilter): boolean {
  return !includeTerminal || phases.length > 0
}

function keyOf({ tenant, ownerProvider, account, workspace, agent }: AgentId): string {
  return JSON.stringify([tenant.provider, tenant.org, ownerProvider, account, workspace, agent])
}

function isListed({ phase }: AgentEntry, { includeTerminal = false, phases = [] }: AgentFilter): boolean {
  return (includeTerminal || !isTerminal(phase)) && (phases.length === 0 || phases.includes(phase))
}

/** In the field order of an entry, so that the JSON can be compared. */
function toEntry(status: AgentStatus): AgentEntry {
  return {
    agentId: status.agentId,
    phase: status.phase,
    cost: status.cost,
    progressAt: status.progressAt,
    repos: status.repos,
    dashboardUrl: status.dashboardUrl,
    inputTokens: status.inputTokens,
    cachedInputTokens: status.cachedInputTokens,
    outputTokens: status.outputTokens,
    totalTokens: status.totalTokens,
    needsInput: status.needsInput,
    pendingReason: status.pendingReason,
    pendingUntil: status.pendingUntil,
  }
}

import { toAddress, toSelector, type AgentFilter, type AgentReference } from './agent-filter.ts'
import type { Connection, RequestOptions } from './call/connection.ts'
import { SkeinApiError } from './errors.ts'
import { followStream, type WatchOptions } from './stream/follow-stream.ts'
import type {
  FleetChange,
  FleetEntry,
  FleetPullRequest,
  ListFleetResponse,
  SummarizeFleetRequest,
  SummarizeFleetResponse,
} from './generated/types.ts'
import { readPages } from './read-pages.ts'

/**
 * Selects agents of all levels.
 *
 * @example
 * import type { FleetFilter } from '@skein/client'
 *
 * const stuck: FleetFilter = { account: '*', workspace: 'shop', phases: ['PHASE_WAITING'] }
 * const tree: FleetFilter = { under: 'shop/release', includeTerminal: true }
 */
export interface FleetFilter extends Omit<AgentFilter, 'parent'> {
  /** Only this agent and its descendants. */
  readonly under?: AgentReference | undefined
  readonly workspace?: string | undefined
}

/**
 * A fleet, page by page.
 *
 * @example
 * const { entries, nextPageToken, cursor } = await skein.listFleet({ account: '*', pageSize: 500 })
 */
export interface FleetListOptions extends FleetFilter {
  /** Number of entries per request. Default and maximum: 1,000. */
  readonly pageSize?: number | undefined
  /** For `listFleet`: the `nextPageToken` of the previous page. */
  readonly pageToken?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Where a watch starts, how it ends, and how long it tries to reconnect.
 *
 * @example
 * const { cursor } = await skein.listFleet()
 * for await (const { entry } of skein.watchFleet({}, { after: cursor, onState: console.log })) console.log(entry)
 */
export interface FleetWatchOptions extends WatchOptions {
  /**
   * The cursor of a list or of a change. Default: from now on. With a cursor, the watch ends when the service no
   * longer knows it, because only you know what to list again. Without one, it then reports the whole fleet.
   */
  readonly after?: string | undefined
}

/**
 * What to summarize.
 *
 * @example
 * const { needsInput, costTotal } = await skein.fleetSummary({ account: '*', hours: 168 })
 */
export interface FleetSummaryOptions extends SummarizeFleetRequest, RequestOptions {}

export function listFleet(
  connection: Connection,
  { pageSize, pageToken, signal, ...filter }: FleetListOptions,
): Promise<ListFleetResponse> {
  return connection.call(
    'listFleet',
    { body: { ...toFleetRequest(filter), pageSize, pageToken } },
    { signal },
  )
}

export function readFleet(
  connection: Connection,
  options: FleetListOptions,
): AsyncGenerator<FleetEntry, void> {
  return readPages(
    (pageToken = options.pageToken) => listFleet(connection, { ...options, pageToken }),
    ({ entries }) => entries,
  )
}

export async function* watchFleet(
  connection: Connection,
  filter: FleetFilter,
  { after, ...options }: FleetWatchOptions,
): AsyncGenerator<FleetChange, void> {
  const { signal } = options
  const request = toFleetRequest(filter)
  // Known before the first connection: otherwise one lost before its first event would leave a gap.
  let cursor = after
  let isToldAnew = false
  async function* stream(onOpen: () => void): AsyncGenerator<FleetChange, void> {
    cursor ??= (await listFleet(connection, { ...filter, pageSize: 1, signal })).cursor
    const ports = {
      signal,
      onOpen() {
        isToldAnew = false
        onOpen()
      },
      onPosition: (position: string) => void (cursor = position),
    }
    for await (const change of connection.stream(
      'watchFleet',
      { body: { ...request, after: cursor } },
      ports,
    )) {
      cursor = change.cursor
      yield change
    }
  }
  async function* open(onOpen: () => void): AsyncGenerator<FleetChange, void> {
    try {
      yield* stream(onOpen)
    } catch (error) {
      // Not twice in a row: a service that rejects its own list's cursor would be asked forever.
      if (after !== undefined || isToldAnew || !isCursorRefused(error)) throw error
      // Only after everything was reported: an interrupted listing starts over.
      cursor = yield* tellFleet(connection, { ...filter, signal })
      isToldAnew = true
    }
  }
  yield* followStream({ name: 'watchFleet', open }, connection.options, options)
}

/** Changes in the meantime are lost, so everything is reported again. */
async function* tellFleet(
  connection: Connection,
  options: FleetListOptions,
): AsyncGenerator<FleetChange, string> {
  const first = await listFleet(connection, options)
  const { cursor } = first
  for (let page = first; ;) {
    for (const entry of page.entries) yield { entry, isListed: true, cursor }
    if (page.nextPageToken === '') return cursor
    page = await listFleet(connection, { ...options, pageToken: page.nextPageToken })
  }
}

function isCursorRefused(error: unknown): boolean {
  return error instanceof SkeinApiError && error.reason === 'PAGE_TOKEN_INVALID'
}

export function summarizeFleet(
  connection: Connection,
  { account, workspace, tenant, hours, ...options }: FleetSummaryOptions,
): Promise<SummarizeFleetResponse> {
  return connection.call('summarizeFleet', { body: { account, workspace, tenant, hours } }, options)
}

export async function listFleetPullRequests(
  connection: Connection,
  agents: readonly AgentReference[],
  options: RequestOptions,
): Promise<readonly FleetPullRequest[]> {
  const body = { agentIds: agents.map(toAddress) }
  return (await connection.call('listFleetPullRequests', { body }, options)).agents
}

function toFleetRequest({ under, labels, ...filter }: FleetFilter) {
  return {
    ...filter,
    under: under === undefined ? undefined : toAddress(under),
    labelSelector: labels && toSelector(labels),
  }
}

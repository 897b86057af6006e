import { toAddress, toSelector, type AgentReference } from './agent-filter.ts'
import type { Connection, RequestOptions } from './call/connection.ts'
import { SkeinApiError } from './errors.ts'
import { followStream, type WatchOptions } from './stream/follow-stream.ts'
import type {
  FleetChange,
  FleetEntry,
  ListFleetResponse,
  Phase,
  SummarizeFleetRequest,
  SummarizeFleetResponse,
  TenantInput,
} from './generated/types.ts'
import { readPages } from './read-pages.ts'

/**
 * Which agents, of all levels.
 *
 * @example
 * import type { FleetFilter } from '@skein/client'
 *
 * const stuck: FleetFilter = { account: '*', workspace: 'shop', phases: ['PHASE_WAITING'] }
 * const tree: FleetFilter = { under: 'shop/release', includeTerminal: true }
 */
export interface FleetFilter {
  /** Only this agent and its descendants. */
  readonly under?: AgentReference | undefined
  /** Whose: yours when left out, `*` for everyone's, a name, or `service_profile/ci`. */
  readonly account?: string | undefined
  readonly workspace?: string | undefined
  /** Those that have ended too. */
  readonly includeTerminal?: boolean | undefined
  readonly phases?: readonly Phase[] | undefined
  /** All of these must match. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** For operators. */
  readonly tenant?: TenantInput | undefined
}

/**
 * A fleet, page by page.
 *
 * @example
 * const { entries, nextPageToken, cursor } = await skein.listFleet({ account: '*', pageSize: 500 })
 */
export interface FleetListOptions extends FleetFilter {
  /** How many to ask for at a time; 1,000 at most, and when left out. */
  readonly pageSize?: number | undefined
  /** For `listFleet`: the `nextPageToken` of the page before. */
  readonly pageToken?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Where a watch of a fleet begins, how it ends, and how long it tries to come back.
 *
 * @example
 * const { cursor } = await skein.listFleet()
 * for await (const { entry } of skein.watchFleet({}, { after: cursor, onState: console.log })) console.log(entry)
 */
export interface FleetWatchOptions extends WatchOptions {
  /**
   * The cursor of a list or of a change; from now on when left out. A watch that has one ends when the service does
   * not know it any more, because only you know what to list again. A watch without one then tells the whole fleet.
   */
  readonly after?: string | undefined
}

/**
 * What to sum up.
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
  return readPages((pageToken) =>
    listFleet(connection, { ...options, pageToken: pageToken ?? options.pageToken }),
  )
}

export async function* watchFleet(
  connection: Connection,
  filter: FleetFilter,
  { after, ...options }: FleetWatchOptions,
): AsyncGenerator<FleetChange, void> {
  const { signal } = options
  const request = toFleetRequest(filter)
  // Known before the first connection: one that is cut before it said anything would leave a gap otherwise.
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
      // Not twice in a row: a service that refuses the cursor of its own list would be asked for ever.
      if (after !== undefined || isToldAnew || !isCursorRefused(error)) throw error
      // Not before all is told: a listing that is cut begins anew.
      cursor = yield* tellFleet(connection, { ...filter, signal })
      isToldAnew = true
    }
  }
  yield* followStream({ name: 'watchFleet', open }, connection.options, options)
}

/** What changed meanwhile cannot be known any more, so everything that there is may have. */
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

function toFleetRequest({ under, labels, ...filter }: FleetFilter) {
  return {
    ...filter,
    under: under === undefined ? undefined : toAddress(under),
    labelSelector: labels && toSelector(labels),
  }
}

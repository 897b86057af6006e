import { tenantQuery } from '../catalog.ts'
import type { Connection } from '../call/connection.ts'
import type { OperationTypes } from '../generated/operations.ts'
import type { AuditEvent, TenantInput } from '../generated/types.ts'
import { followStream, type WatchOptions } from './follow-stream.ts'

/**
 * Selects what a watch of the audit log reports.
 *
 * @example
 * import type { AuditWatchFilter } from '@skein/client'
 *
 * const refused: AuditWatchFilter = { operation: 'refuseKey', startTime: '2026-11-01T00:00:00Z' }
 */
export interface AuditWatchFilter extends Pick<
  OperationTypes['watchAudit']['query'],
  'operation' | 'kind' | 'name' | 'account' | 'startTime'
> {
  /** For operators. Default: your own tenant. */
  readonly tenant?: TenantInput | undefined
}

/**
 * Where a watch of the audit log starts, how it ends, and how long it tries to reconnect.
 *
 * @example
 * const { cursor } = await skein.listAudit({ pageSize: 100 })
 * for await (const { entry } of skein.watchAudit({}, { after: cursor })) console.log(entry)
 */
export interface AuditWatchOptions extends WatchOptions {
  /** The cursor of a list or of an entry. Default: from the filter's `startTime` on, or from now on. */
  readonly after?: string | undefined
}

export async function* watchAudit(
  connection: Connection,
  { tenant, ...filter }: AuditWatchFilter,
  { after, ...options }: AuditWatchOptions,
): AsyncGenerator<AuditEvent, void> {
  const { signal } = options
  const query = { ...tenantQuery(tenant), ...filter }
  let cursor = after
  async function* open(onOpen: () => void): AsyncGenerator<AuditEvent, void> {
    // Known before the first connection: otherwise one lost before its first event would leave a gap.
    if (cursor === undefined && filter.startTime === undefined) {
      const newest = { ...tenantQuery(tenant), pageSize: 1 }
      cursor = (await connection.call('listAudit', { query: newest }, { signal })).cursor
    }
    const ports = { signal, onOpen, onPosition: (position: string) => void (cursor = position) }
    for await (const event of connection.stream(
      'watchAudit',
      { query: { ...query, after: cursor } },
      ports,
    )) {
      cursor = event.cursor
      yield event
    }
  }
  yield* followStream({ name: 'watchAudit', open }, connection.options, options)
}

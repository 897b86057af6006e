import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { noticeWrite } from '../../catalog/write-resource.ts'
import { queries } from '../../session/queries.ts'
import { skein } from '../../session/skein.ts'
import { findNextPage } from '../../ui/next-page.ts'

/** There is no stream of these, so they are polled, by default only while the page is visible. */
const LIST_MS = 10_000
const LOG_MS = 5_000
const LOG_PAGE = 50
const SCHEDULE_PAGE = 50

const ROOT = 'automations'

export const integrationsQuery = queryOptions({
  queryKey: [ROOT, 'integrations'],
  queryFn: ({ signal }) => skein.integrations.list({ signal }),
  refetchInterval: LIST_MS,
})

export const triggersQuery = queryOptions({
  queryKey: [ROOT, 'triggers'],
  queryFn: ({ signal }) => Array.fromAsync(skein.triggers.list({ signal })),
  refetchInterval: LIST_MS,
})

export const startingRepositoriesQuery = queryOptions({
  queryKey: [ROOT, 'starting-repositories'],
  queryFn: ({ signal }) => Array.fromAsync(skein.startingRepositories({ signal })),
  refetchInterval: LIST_MS,
})

export const schedulesQuery = pagesQuery(
  ['schedules'],
  (pageToken, signal) => skein.schedules.listPage({ pageSize: SCHEDULE_PAGE, pageToken, signal }),
  LIST_MS,
)

export function scheduleQuery(name: string) {
  return queryOptions({
    queryKey: [ROOT, 'schedule', name],
    queryFn: ({ signal }) => skein.schedules.get(name, { signal }),
    refetchInterval: LIST_MS,
  })
}

export function deliveriesQuery(name: string, failed: boolean) {
  return pagesQuery(
    ['deliveries', name, failed],
    (pageToken, signal) =>
      skein.integrations.listDeliveries(name, { failed, pageSize: LOG_PAGE, pageToken, signal }),
    LOG_MS,
  )
}

export function deadLettersQuery(name: string) {
  return pagesQuery(['dead-letters', name], (pageToken, signal) =>
    skein.integrations.listDeadLetters(name, { pageSize: LOG_PAGE, pageToken, signal }),
  )
}

export function triggerDeliveriesQuery(name: string) {
  return pagesQuery(
    ['trigger-deliveries', name],
    (pageToken, signal) => skein.triggers.listDeliveries(name, { pageSize: LOG_PAGE, pageToken, signal }),
    LOG_MS,
  )
}

export function firingsQuery(name: string) {
  return pagesQuery(
    ['firings', name],
    (pageToken, signal) => skein.schedules.listFirings(name, { pageSize: LOG_PAGE, pageToken, signal }),
    LOG_MS,
  )
}

/** Without a time it is not polled. */
function pagesQuery<Page extends { readonly nextPageToken: string }>(
  key: readonly unknown[],
  readPage: (pageToken: string, signal: AbortSignal) => Promise<Page>,
  pollMs?: number,
) {
  return infiniteQueryOptions({
    queryKey: [ROOT, ...key],
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: '',
    getNextPageParam: findNextPage,
    refetchInterval: ({ state }) => pollMs !== undefined && pollFirstPage(state.data, pollMs),
  })
}

/** A poll reads every loaded page again, so it stops once a second page is loaded. */
function pollFirstPage(data: { readonly pages: readonly unknown[] } | undefined, ms: number): number | false {
  return (data?.pages.length ?? 0) > 1 ? false : ms
}

/** After an action: everything shown here may have changed. */
export function refreshAutomations(): void {
  void queries.invalidateQueries({ queryKey: [ROOT] })
}

/** After pausing or resuming, which writes the resource. */
export function noticePause(kind: 'integration' | 'trigger' | 'schedule', name: string): void {
  refreshAutomations()
  noticeWrite(kind, name, undefined)
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { Page } from '../../layout/page.tsx'
import { LoadingPage } from '../../layout/page-states.tsx'
import { canReadAudit, useIdentity } from '../../session/identity.ts'
import { skein } from '../../session/skein.ts'
import { Card } from '../../ui/card.tsx'
import { EmptyState, Notice } from '../../ui/notice.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { readAuditSearch, toAuditFilter } from './audit-search.ts'
import { useAddedEntries, withAdded } from './added-entries.ts'
import { AuditTable } from './audit-table.tsx'
import { findNextPage } from '../../ui/next-page.ts'
import { PagesEnd } from '../../ui/pages-end.tsx'

const PAGE = 100

/** The audit log, newest first. */
export function AuditPage() {
  const canRead = canReadAudit(useIdentity())
  const navigate = useNavigate({ from: '/audit' })
  const search = useSearch({ from: '/shell/audit' })
  const log = useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ pageParam, signal }) =>
      skein.listAudit({ ...toAuditFilter(search), pageSize: PAGE, pageToken: pageParam, signal }),
    initialPageParam: '',
    getNextPageParam: findNextPage,
    enabled: canRead,
  })
  const change = useCallback(
    (part: Record<string, string>) =>
      void navigate({ search: (current) => readAuditSearch({ ...current, ...part }), replace: true }),
    [navigate],
  )
  const added = useAddedEntries(search, log.data?.pages[0]?.cursor)
  const entries = withAdded(added, log.data?.pages.flatMap((page) => page.entries) ?? [])
  return (
    <Page title="Audit log" description="Changes, sign-ins, rejected keys, and what operators read.">
      {canRead ? (
        <Card>
          <AuditFilters search={search} onChange={change} />
          {log.isPending && <LoadingPage />}
          {log.isSuccess && entries.length === 0 && (
            <EmptyState title="No matching entries">Remove a filter to see more.</EmptyState>
          )}
          {entries.length > 0 && <AuditTable entries={entries} />}
          {(log.hasNextPage || log.isError) && (
            <div className="flex flex-col border-t border-line p-3">
              <PagesEnd pages={log} moreLabel="Show older entries" />
            </div>
          )}
        </Card>
      ) : (
        <Notice>Admins can read the audit log.</Notice>
      )}
    </Page>
  )
}

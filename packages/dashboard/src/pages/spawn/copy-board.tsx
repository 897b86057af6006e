import type { AgentAddress } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { LoadingPage } from '../../layout/page-states.tsx'
import { RetryNotice } from '../../ui/retry-notice.tsx'
import { copyFormQuery } from './copied-agent.ts'
import { SpawnBoard } from './spawn-board.tsx'
import { parentOf } from '../../agent/spawn-search.ts'

/** The form, prefilled from another agent. */
export function CopyBoard({ original }: { readonly original: AgentAddress }) {
  const { data, error, isFetching, refetch } = useQuery(copyFormQuery(original))
  if (data !== undefined) return <SpawnBoard {...parentOf(original)} initial={data} />
  if (error === null) return <LoadingPage />
  return <RetryNotice error={error} isBusy={isFetching} onRetry={() => void refetch()} />
}

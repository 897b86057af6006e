import { Skein, type Share } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import { LoadingPage } from '../../layout/page-states.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Ago } from '../../ui/time.tsx'
import { DeadLink } from './dead-link.tsx'
import { isRefused } from './is-refused.ts'
import { readShareKey } from './read-share-key.ts'
import { SharedAgent } from './shared-agent.tsx'

/** For people without an account: one agent, read-only. The key is kept only in the URL. */
export function SharePage() {
  const hash = useSyncExternalStore(subscribeToHash, () => window.location.hash)
  const key = readShareKey(hash)
  return (
    <main className="flex h-dvh min-w-0 flex-col">
      {key === undefined ? <DeadLink /> : <OpenShare key={key} apiKey={key} />}
    </main>
  )
}

function subscribeToHash(listener: () => void): () => void {
  window.addEventListener('hashchange', listener)
  return () => window.removeEventListener('hashchange', listener)
}

function OpenShare({ apiKey }: { readonly apiKey: string }) {
  const guest = useMemo(() => new Skein({ baseUrl: window.location.origin, apiKey }), [apiKey])
  const { data, error, refetch } = useQuery({
    // The public part of the key is enough to tell links apart.
    queryKey: ['share', apiKey.split('.', 1)],
    queryFn: async ({ signal }) => readShare(guest, signal),
    gcTime: 0,
  })
  // What is shown stays: the agent's own view reports a lost connection.
  if (error !== null && data === undefined) {
    return (
      <div className="mx-auto flex w-full max-w-xl flex-col items-start gap-3 p-8">
        <ErrorNotice error={error} className="w-full" />
        <Button onClick={() => void refetch()}>Try again</Button>
      </div>
    )
  }
  if (data === undefined) return <LoadingPage />
  if (data === 'over') return <DeadLink />
  return (
    <>
      <ShareBar share={data} />
      <SharedAgent guest={guest} agentId={data.agentId} />
    </>
  )
}

/** A value rather than an error: the end of this link must not end the user's own session. */
async function readShare(guest: Skein, signal: AbortSignal): Promise<Share | 'over'> {
  try {
    return await guest.share({ signal })
  } catch (error) {
    if (isRefused(error)) return 'over'
    throw error
  }
}

function ShareBar({ share }: { readonly share: Share }) {
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-2 text-sm">
      <span className="flex items-center gap-2 font-bold">
        <img src="/skein.svg" alt="" className="size-5" />
        Skein
      </span>
      <span className="min-w-0 break-words text-muted">
        {share.description === '' ? 'Shared with you (read-only)' : share.description}
      </span>
      {share.expireTime !== '' && (
        <span className="ml-auto text-xs text-muted">
          This link expires <Ago time={share.expireTime} />
        </span>
      )}
    </div>
  )
}

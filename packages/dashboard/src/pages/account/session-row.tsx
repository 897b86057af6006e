import type { SessionEntry } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { Monitor, SquareTerminal } from 'lucide-react'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Ago } from '../../ui/time.tsx'
import { toastSuccess } from '../../ui/toasts.tsx'
import { browserName } from './browser-name.ts'

export function SessionRow({
  session,
  onEnd,
}: {
  readonly session: SessionEntry
  readonly onEnd: () => void
}) {
  const { id, kind, token, createTime, expireTime, isCurrent } = session
  const name = nameOf(session)
  const Icon = kind === 'command-line' ? SquareTerminal : Monitor
  const end = useMutation({
    mutationFn: () => skein.endSession(id),
    onSuccess: () => toastSuccess('The session has ended.'),
    onSettled: onEnd,
  })
  return (
    <li className="flex items-center gap-3 px-4 py-3 text-sm">
      <Icon size={18} aria-hidden className="shrink-0 text-muted" />
      <div className="min-w-0 grow">
        <p className="truncate font-medium" title={session.userAgent}>
          {name}
        </p>
        <p className="text-xs text-muted">
          Signed in <Ago time={createTime} /> with the token {token} · ends <Ago time={expireTime} />
        </p>
        {end.isError && <ErrorNotice error={end.error} className="mt-1" />}
      </div>
      {isCurrent ? (
        <span className="shrink-0 text-xs font-medium text-completed">This browser</span>
      ) : (
        <Button size="small" look="danger" isBusy={end.isPending} onClick={() => end.mutate()}>
          End<span className="sr-only"> the session of {name}</span>
        </Button>
      )}
    </li>
  )
}

/** What a machine calls itself is only what it says. */
function nameOf({ kind, userAgent }: SessionEntry): string {
  if (kind === 'browser') return browserName(userAgent)
  return userAgent === '' ? 'Command line' : `Command line on ${userAgent}`
}

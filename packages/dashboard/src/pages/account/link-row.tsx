import type { LinkedAccount } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Ago } from '../../ui/time.tsx'
import { toastSuccess } from '../../ui/toasts.tsx'

export function LinkRow({ link, onUnlink }: { readonly link: LinkedAccount; readonly onUnlink: () => void }) {
  const { identityProvider, title, account, linkTime, opensPullRequests } = link
  const unlink = useMutation({
    mutationFn: () => skein.unlinkAccount(identityProvider),
    onSuccess: () => toastSuccess(`${account} is no longer linked.`),
    onSettled: onUnlink,
  })
  return (
    <li className="flex items-center gap-3 px-4 py-3 text-sm">
      <Link2 size={18} aria-hidden className="shrink-0 text-muted" />
      <div className="min-w-0 grow">
        <p className="truncate font-medium">{account}</p>
        <p className="text-xs text-muted">
          {title} · linked <Ago time={linkTime} />
          {opensPullRequests && ' · opens your pull requests'}
        </p>
        {unlink.isError && <ErrorNotice error={unlink.error} className="mt-1" />}
      </div>
      <Button size="small" look="danger" isBusy={unlink.isPending} onClick={() => unlink.mutate()}>
        Unlink<span className="sr-only"> {account}</span>
      </Button>
    </li>
  )
}

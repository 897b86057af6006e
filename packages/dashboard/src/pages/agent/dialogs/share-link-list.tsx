import { useMutation } from '@tanstack/react-query'
import { skein } from '../../../session/skein.ts'
import { useIdentity } from '../../../session/identity.ts'
import { Button } from '../../../ui/button.tsx'
import { Ago, useNow } from '../../../ui/time.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { toastSuccess } from '../../../ui/toasts.tsx'
import { isOver, type ShareLink } from '../share-links.ts'

export function ShareLinkList({
  links,
  onChange,
}: {
  readonly links: readonly ShareLink[]
  readonly onChange: () => void
}) {
  return (
    <section aria-labelledby="share-links-title">
      <h3 id="share-links-title" className="mb-1.5 text-sm font-semibold">
        Links to this agent
      </h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {links.map((link) => (
          <ShareLinkRow key={link.name} link={link} onChange={onChange} />
        ))}
      </ul>
    </section>
  )
}

function ShareLinkRow({ link, onChange }: { readonly link: ShareLink; readonly onChange: () => void }) {
  const now = useNow()
  const { mustJustify } = useIdentity()
  const justification = mustJustify ? 'Revoked from the dashboard.' : undefined
  const revoke = useMutation({
    mutationFn: () =>
      skein.catalog.patch('share-link', link.name, { revoked: true }, { mask: ['revoked'], justification }),
    onSuccess: () => toastSuccess('The link is revoked.'),
    onSettled: onChange,
  })
  return (
    <li className="flex items-center justify-between gap-3 px-3 py-2 text-sm">
      <div className="min-w-0">
        <p className="truncate font-medium" title={link.name}>
          {link.description === '' ? link.name : link.description}
        </p>
        <p className="text-xs text-muted">
          {link.isRevoked ? (
            'Revoked'
          ) : link.expireTime === '' ? (
            'Never expires'
          ) : (
            <>
              {isOver(link, now) ? 'Expired' : 'Expires'} <Ago time={link.expireTime} />
            </>
          )}
        </p>
        {revoke.isError && <ErrorNotice error={revoke.error} className="mt-1" />}
      </div>
      {!isOver(link, now) && (
        <Button size="small" look="danger" isBusy={revoke.isPending} onClick={() => revoke.mutate()}>
          Revoke<span className="sr-only"> {link.description === '' ? link.name : link.description}</span>
        </Button>
      )}
    </li>
  )
}

import { LINK_STATE_PREFIX } from '@skein/contract/facts'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { queries } from '../../session/queries.ts'
import { skein } from '../../session/skein.ts'
import { buttonClasses } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { toastSuccess } from '../../ui/toasts.tsx'
import { SignInFrame } from '../../layout/sign-in-frame.tsx'
import { takeNext } from './under-way.ts'

/** Where an identity provider sends people. What it says is in the URL and works once. */
export function CallbackPage() {
  const navigate = useNavigate()
  const isBegun = useRef(false)
  const [isLink] = useState(() => isLinkState(window.location.search))
  const finish = useMutation({
    mutationFn: (returnedTo: string) => (isLink ? finishLink(returnedTo) : finishSignIn(returnedTo)),
    onSuccess: async (href) => navigate({ href, replace: true }),
  })
  const { mutate } = finish
  useEffect(() => {
    if (isBegun.current) return
    isBegun.current = true
    const { pathname, search } = window.location
    // A reload would only fail, and the code does not belong in the history.
    window.history.replaceState(window.history.state, '', pathname)
    mutate(pathname + search)
  }, [mutate])
  return (
    <SignInFrame title={isLink ? 'Link an account' : 'Sign in to Skein'}>
      {finish.isError ? (
        <>
          <ErrorNotice error={finish.error} />
          <Link to={isLink ? '/account' : '/sign-in'} className={buttonClasses({ look: 'primary' })}>
            {isLink ? 'Back to your account' : 'Start again'}
          </Link>
        </>
      ) : (
        <p role="status" className="text-sm text-muted">
          {isLink ? 'Linking the account…' : 'Signing you in…'}
        </p>
      )}
    </SignInFrame>
  )
}

/** Only what to try: the service knows what was started. */
function isLinkState(search: string): boolean {
  return new URLSearchParams(search).get('state')?.startsWith(LINK_STATE_PREFIX) === true
}

async function finishSignIn(returnedTo: string): Promise<string> {
  await skein.finishSignIn(returnedTo)
  // Somebody else may have been signed in before.
  queries.clear()
  return takeNext(window.location.origin)
}

async function finishLink(returnedTo: string): Promise<string> {
  const { account, title } = await skein.finishAccountLink(returnedTo)
  toastSuccess(`Linked ${account} of ${title}. If this is not you, unlink it.`)
  return '/account'
}

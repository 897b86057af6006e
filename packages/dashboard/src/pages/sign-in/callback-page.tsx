import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { queries } from '../../session/queries.ts'
import { skein } from '../../session/skein.ts'
import { buttonClasses } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { SignInFrame } from '../../layout/sign-in-frame.tsx'
import { takeNext } from './under-way.ts'

/** Where an identity provider sends people. What it says is in the URL and works once. */
export function CallbackPage() {
  const navigate = useNavigate()
  const isBegun = useRef(false)
  const finish = useMutation({
    mutationFn: (returnedTo: string) => skein.finishSignIn(returnedTo),
    onSuccess: async () => {
      // Somebody else may have been signed in before.
      queries.clear()
      await navigate({ href: takeNext(window.location.origin), replace: true })
    },
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
    <SignInFrame title="Sign in to Skein">
      {finish.isError ? (
        <>
          <ErrorNotice error={finish.error} />
          <Link to="/sign-in" className={buttonClasses({ look: 'primary' })}>
            Start again
          </Link>
        </>
      ) : (
        <p role="status" className="text-sm text-muted">
          Signing you in…
        </p>
      )}
    </SignInFrame>
  )
}

import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { readOwnPath } from '../../session/own-path.ts'
import { queries } from '../../session/queries.ts'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { KeyForm } from './key-form.tsx'
import { OrganizationForm } from './organization-form.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { hideSignInCode, readSignInCode } from './sign-in-code.ts'
import { SignInFrame } from '../../layout/sign-in-frame.tsx'
import { readOrg } from './under-way.ts'

type Way = 'key' | 'provider' | 'organization' | 'code'

export function SignInPage() {
  const search = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const [code] = useState(() => readSignInCode(window.location.hash))
  const [org, setOrg] = useState(() => readOrg(search.org))
  /** What the person chose. Undefined: whatever there is. */
  const [chosen, setChosen] = useState<Way | undefined>(code === undefined ? undefined : 'code')
  useEffect(() => {
    if (code !== undefined) hideSignInCode(window)
  }, [code])
  const offered = useQuery({
    queryKey: ['sign-in-providers', org],
    queryFn: ({ signal }) => skein.signInProviders(org, { signal }),
  })
  const providers = offered.data ?? []
  const signIn = useMutation({
    mutationFn: (apiKey: string) => skein.signIn(apiKey),
    onSuccess: async () => {
      // A session may have expired: the next person must not see what was loaded in it.
      queries.clear()
      // Checked here, where it is used: the router keeps what a route's own validation drops.
      await navigate({ href: readOwnPath(search.next, window.location.origin) })
    },
  })
  const way = chosen ?? (providers.length > 0 ? 'provider' : 'key')
  const choose = (next: Way) => {
    signIn.reset()
    setChosen(next)
  }
  return (
    <SignInFrame title="Sign in to Skein">
      {way === 'code' && code !== undefined && (
        <>
          <p className="text-sm text-muted">
            This link signs you in as the account that created it. Continue only if you opened it yourself,
            for example from your terminal.
          </p>
          <Button look="primary" isBusy={signIn.isPending} onClick={() => signIn.mutate(code)}>
            Sign in
          </Button>
        </>
      )}
      {way === 'key' && <KeyForm isBusy={signIn.isPending} onSubmit={(apiKey) => signIn.mutate(apiKey)} />}
      {way === 'provider' && providers.length > 0 && (
        <ProviderButtons providers={providers} next={search.next} />
      )}
      {(way === 'organization' || (way === 'provider' && providers.length === 0)) && (
        <OrganizationForm
          org={org}
          isMissing={way === 'provider' && org !== '' && offered.isSuccess}
          onChoose={(wanted) => {
            setOrg(wanted)
            choose('provider')
          }}
        />
      )}
      {way === 'provider' && offered.isError && <ErrorNotice error={offered.error} />}
      {signIn.isError && <ErrorNotice error={signIn.error} />}
      {way !== 'key' && <Button onClick={() => choose('key')}>Use an API key instead</Button>}
      {way === 'key' && <Button onClick={() => choose('provider')}>Use your organization’s sign-in</Button>}
      {way === 'provider' && providers.length > 0 && (
        <Button look="quiet" onClick={() => choose('organization')}>
          Another organization
        </Button>
      )}
    </SignInFrame>
  )
}

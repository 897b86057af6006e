import type { Login } from '@skein/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { skein } from '../../session/skein.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { SignInFrame } from '../../layout/sign-in-frame.tsx'
import { CodeForm } from './code-form.tsx'
import { LoginRequest } from './login-request.tsx'

/** How the page found it: by the link that the command line opened, or by what was typed. */
interface Found {
  readonly login: Login
  readonly by: { readonly loginId: string } | { readonly userCode: string }
}

/** Where a person lets a command line act for them. */
export function LoginPage() {
  const { id } = useSearch({ from: '/login' })
  const [typed, setTyped] = useState<Found>()
  const loginId = typeof id === 'string' ? id : ''
  const linked = useQuery({
    queryKey: ['login', loginId],
    queryFn: ({ signal }) => skein.findLogin({ loginId }, { signal }),
    enabled: loginId !== '',
    staleTime: Infinity,
    refetchOnReconnect: false,
  })
  const decide = useMutation({
    mutationFn: async ({ by, isAllowed }: { readonly by: Found['by']; readonly isAllowed: boolean }) => {
      const redirectUrl = await skein.decideLogin(by, isAllowed)
      if (redirectUrl !== '') window.location.assign(redirectUrl)
      return isAllowed
    },
  })
  const found = loginId === '' ? typed : linked.data && { login: linked.data, by: { loginId } }
  return (
    <SignInFrame title="Sign in a command line">
      {decide.isSuccess ? (
        <Notice tone={decide.data ? 'success' : 'info'}>
          {decide.data
            ? 'The command line is signed in. Go back to it; you can close this page.'
            : 'The command line was refused. You can close this page.'}
        </Notice>
      ) : (
        <>
          {loginId === '' && !found && (
            <CodeForm onFound={(login, userCode) => setTyped({ login, by: { userCode } })} />
          )}
          {linked.isError && <ErrorNotice error={linked.error} />}
          {found && (
            <LoginRequest
              login={found.login}
              isBusy={decide.isPending}
              onDecide={(isAllowed) => decide.mutate({ by: found.by, isAllowed })}
            />
          )}
          {decide.isError && <ErrorNotice error={decide.error} />}
        </>
      )}
    </SignInFrame>
  )
}

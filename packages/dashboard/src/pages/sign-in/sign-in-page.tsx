import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { readOwnPath } from '../../session/own-path.ts'
import { queries } from '../../session/queries.ts'
import { skein } from '../../session/skein.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { hideSignInCode, readSignInCode } from './sign-in-code.ts'

export function SignInPage() {
  const { next } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const [code, setCode] = useState(() => readSignInCode(window.location.hash))
  const [apiKey, setApiKey] = useState('')
  useEffect(() => {
    if (code !== undefined) hideSignInCode(window)
  }, [code])
  const signIn = useMutation({
    mutationFn: () => skein.signIn(code ?? apiKey.trim()),
    onSuccess: async () => {
      setApiKey('')
      // A session may have expired: the next person must not see what was loaded in it.
      queries.clear()
      // Checked here, where it is used: the router keeps what a route's own validation drops.
      await navigate({ href: readOwnPath(next, window.location.origin) })
    },
  })
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <form
        className="flex w-full max-w-sm flex-col gap-5 rounded-2xl border border-line bg-surface p-7 shadow-raised"
        onSubmit={(event) => {
          event.preventDefault()
          signIn.mutate()
        }}
      >
        <div className="flex items-center gap-3">
          <img src="/skein.svg" alt="" className="size-10" />
          <div>
            <h1 className="text-xl font-semibold">Sign in to Skein</h1>
          </div>
        </div>
        {code === undefined ? (
          <KeyField value={apiKey} onChange={setApiKey} />
        ) : (
          <p className="text-sm text-muted">
            This link signs you in as the account that created it. Continue only if you opened it yourself,
            for example from your terminal.
          </p>
        )}
        {signIn.isError && <ErrorNotice error={signIn.error} />}
        <Button type="submit" look="primary" isBusy={signIn.isPending}>
          Sign in
        </Button>
        {code !== undefined && (
          <Button
            onClick={() => {
              signIn.reset()
              setCode(undefined)
            }}
          >
            Use an API key instead
          </Button>
        )}
      </form>
    </main>
  )
}

function KeyField({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  return (
    <TextField
      label="API key"
      name="apiKey"
      type="password"
      autoComplete="off"
      required
      autoFocus
      placeholder="skn_…"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      hint={
        <>
          From <code>skein token create</code>, or printed by <code>skein dev</code>. It is exchanged for a
          session and not kept in this browser.
        </>
      }
    />
  )
}

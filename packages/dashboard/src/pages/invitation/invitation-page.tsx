import { SkeinApiError } from '@skein/client'
import { INVITATION_CODE_PATTERN } from '@skein/contract/facts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { SignInFrame } from '../../layout/sign-in-frame.tsx'
import { queries } from '../../session/queries.ts'
import { skein } from '../../session/skein.ts'
import { Button, buttonClasses } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy-button.tsx'
import { TextField } from '../../ui/field.tsx'
import { findViolation, readFieldViolations } from '../../ui/field-violations.ts'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'

/** Where the link of an invitation leads. Its code is in the fragment, which servers and proxies never see. */
export function InvitationPage() {
  const [code] = useState(() => window.location.hash.slice(1))
  const [account, setAccount] = useState('')
  const isCode = new RegExp(INVITATION_CODE_PATTERN).test(code)
  useEffect(() => {
    // It does not belong in the history.
    window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [])
  const invitation = useQuery({
    queryKey: ['invitation', code],
    queryFn: ({ signal }) => skein.readInvitation(code, { signal }),
    enabled: isCode,
    staleTime: Infinity,
  })
  const accept = useMutation({
    mutationFn: () => skein.acceptInvitation(code, account),
    // Somebody else may have been signed in before.
    onSuccess: () => queries.clear(),
  })
  if (accept.isSuccess) return <Welcome apiKey={accept.data.apiKey} account={account} />
  const { data } = invitation
  return (
    <SignInFrame title="You are invited">
      {!isCode && <Notice tone="error">This is not a complete invitation link. Copy the whole link.</Notice>}
      {invitation.isError && (
        <ErrorNotice error={invitation.error}>
          {isGone(invitation.error) && <p className="mt-2">Ask an admin of your tenant for a new one.</p>}
        </ErrorNotice>
      )}
      {data !== undefined && (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            if (!accept.isPending) accept.mutate()
          }}
        >
          <p className="text-sm text-muted">
            {data.invitedBy} invites you to {data.tenant.org} as {data.role}
            {data.team !== '' && ` in the team ${data.team}`}.
          </p>
          <TextField
            label="Account name"
            hint="Small letters, digits and hyphens. It cannot be changed later."
            error={findViolation(readFieldViolations(accept.error), 'account')}
            autoComplete="username"
            autoFocus
            required
            maxLength={63}
            spellCheck={false}
            value={account}
            onChange={({ target }) => setAccount(target.value.trim().toLowerCase())}
          />
          {accept.isError && <ErrorNotice error={accept.error} />}
          <Button type="submit" look="primary" isBusy={accept.isPending}>
            Create my account
          </Button>
        </form>
      )}
    </SignInFrame>
  )
}

function isGone(error: unknown): boolean {
  return error instanceof SkeinApiError && error.reason === 'INVITATION_NOT_FOUND'
}

function Welcome({ apiKey, account }: { readonly apiKey: string; readonly account: string }) {
  return (
    <SignInFrame title={`Welcome, ${account}`}>
      <Notice tone="warning">
        This is your key for the command line and for signing in again. It is shown only once: copy it to a
        safe place now.
      </Notice>
      <CodeBlock label="key" text={apiKey} />
      <a href="/" className={buttonClasses({ look: 'primary' })}>
        I have copied it
      </a>
    </SignInFrame>
  )
}

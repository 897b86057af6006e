import type { Login } from '@skein/client'
import type { ReactNode } from 'react'
import { useIdentity } from '../../session/identity.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Ago } from '../../ui/time.tsx'

interface Props {
  readonly login: Login
  readonly isBusy: boolean
  readonly onDecide: (isAllowed: boolean) => void
}

/** Who asks, from where and since when, so that somebody else's request is recognised. */
export function LoginRequest({ login, isBusy, onDecide }: Props) {
  const { account, tenant, role } = useIdentity()
  const { way, hostName, address, isSameAddress, createTime } = login
  return (
    <>
      <p className="text-sm">
        A command line asks to act as <strong className="break-words">{account}</strong> ({role} of{' '}
        {tenant.org}).
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 rounded-lg border border-line bg-raised px-4 py-3 text-sm">
        <Fact name="Machine">{hostName === '' ? 'unnamed' : hostName}</Fact>
        <Fact name="Address">
          {address}
          {isSameAddress && ' (same as yours)'}
        </Fact>
        <Fact name="Started">
          <Ago time={createTime} />
        </Fact>
      </dl>
      {way === 'code' && !isSameAddress && (
        <Notice tone="warning">
          The request does not come from your browser’s address, as far as the server can tell. If you don’t
          recognize it, someone may be trying to get access to your account.
        </Notice>
      )}
      <p className="text-sm text-muted">
        Confirm only if you have just run <code>skein login</code> there yourself. A machine can claim any
        name, so check the address too.
      </p>
      <Button look="primary" isBusy={isBusy} onClick={() => onDecide(true)}>
        Sign it in
      </Button>
      <Button isBusy={isBusy} onClick={() => onDecide(false)}>
        Refuse
      </Button>
    </>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  )
}

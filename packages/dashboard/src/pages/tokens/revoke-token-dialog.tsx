import { JustifiedDialog } from '../../catalog/justified-dialog.tsx'
import { useIdentity } from '../../session/identity.ts'
import { Notice } from '../../ui/notice.tsx'
import { toastSuccess } from '../../ui/toasts.tsx'
import type { TokenFacts } from './token-facts.ts'
import { refreshToken, revokeToken } from './token-writes.ts'

export function RevokeTokenDialog({
  token,
  onClose,
}: {
  readonly token: TokenFacts
  readonly onClose: () => void
}) {
  const { token: ownToken } = useIdentity()
  return (
    <JustifiedDialog
      title={`Revoke ${token.name}?`}
      description="Every key of the token stops working, permanently."
      confirmLabel="Revoke"
      write={(justification) => revokeToken(token, { justification })}
      onDone={async () => {
        toastSuccess(`Revoked ${token.name}. It stops working within 5 seconds.`)
        onClose()
        await refreshToken(token.name)
      }}
      onClose={onClose}
    >
      {token.name === ownToken && (
        <Notice tone="warning">You are signed in with this token and will be signed out.</Notice>
      )}
    </JustifiedDialog>
  )
}

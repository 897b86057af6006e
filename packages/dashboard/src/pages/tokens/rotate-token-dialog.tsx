import { useState } from 'react'
import { JustifiedDialog } from '../../catalog/justified-dialog.tsx'
import { choicesOf, SelectField } from '../../ui/field.tsx'
import type { NewKey } from './new-key-dialog.tsx'
import type { TokenFacts } from './token-facts.ts'
import { refreshToken, rotateToken } from './token-writes.ts'

/** In hours. */
const OVERLAPS = choicesOf({ 0: 'No, stop it now', 1: '1 hour', 24: '1 day', 168: '7 days' })

export function RotateTokenDialog({
  token,
  onClose,
  onRotated,
}: {
  readonly token: TokenFacts
  readonly onClose: () => void
  readonly onRotated: (key: NewKey) => void
}) {
  const [overlapHours, setOverlapHours] = useState('24')
  return (
    <JustifiedDialog
      title={`Rotate ${token.name}?`}
      description="Creates a new key, which is shown only once. The old one keeps working for as long as you choose."
      look="primary"
      confirmLabel="Create new key"
      write={(justification) => rotateToken(token, Number(overlapHours), { justification })}
      onDone={async (key) => {
        onRotated({ token: token.name, key })
        await refreshToken(token.name)
      }}
      onClose={onClose}
    >
      <SelectField
        label="Old key keeps working"
        choices={OVERLAPS}
        value={overlapHours}
        onChange={({ target }) => setOverlapHours(target.value)}
      />
    </JustifiedDialog>
  )
}

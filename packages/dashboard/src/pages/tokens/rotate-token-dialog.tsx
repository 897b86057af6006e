import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { JustificationField, useLacksReason } from '../../catalog/justification-field.tsx'
import type { NewKey } from './new-key-dialog.tsx'
import type { TokenFacts } from './token-facts.ts'
import { refreshToken, rotateToken } from './token-writes.ts'

const OVERLAPS = [
  { value: '0', label: 'No, stop it now' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '7 days' },
]

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
  const [justification, setJustification] = useState('')
  const lacksReason = useLacksReason(justification)
  const rotate = useMutation({
    mutationFn: () => rotateToken(token, Number(overlapHours), { justification }),
    onSuccess: async (key) => {
      onRotated({ token: token.name, key })
      await refreshToken(token.name)
    },
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Rotate ${token.name}?`}
      description="Creates a new key, which is shown only once. The old one keeps working for as long as you choose."
      look="primary"
      confirmLabel="Create new key"
      isBusy={rotate.isPending}
      isDisabled={lacksReason}
      onConfirm={() => rotate.mutate()}
    >
      <SelectField
        label="Old key keeps working"
        choices={OVERLAPS}
        value={overlapHours}
        onChange={({ target }) => setOverlapHours(target.value)}
      />
      <JustificationField value={justification} onChange={setJustification} />
      {rotate.isError && <ErrorNotice error={rotate.error} />}
    </ConfirmDialog>
  )
}

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { JustificationField, useLacksReason } from './justification-field.tsx'
import type { NewKey } from './new-key-dialog.tsx'
import type { TokenFacts } from './token-facts.ts'
import { refreshToken, rotateToken } from './token-writes.ts'

const OVERLAPS = [
  { value: '0', label: 'Not at all' },
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
      description="Makes a new key, which is shown once. The old one goes on working as long as you say."
      look="primary"
      confirmLabel="Make a new key"
      isBusy={rotate.isPending}
      isDisabled={lacksReason}
      onConfirm={() => rotate.mutate()}
    >
      <SelectField
        label="The old key goes on working"
        choices={OVERLAPS}
        value={overlapHours}
        onChange={({ target }) => setOverlapHours(target.value)}
      />
      <JustificationField value={justification} onChange={setJustification} />
      {rotate.isError && <ErrorNotice error={rotate.error} />}
    </ConfirmDialog>
  )
}

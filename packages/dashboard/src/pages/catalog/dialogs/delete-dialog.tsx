import type { Resource } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { skein } from '../../../session/skein.ts'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { toastSuccess } from '../../../ui/toasts.tsx'
import { readBack } from '../../../catalog/catalog-queries.ts'
import { JustificationField, useLacksReason } from '../../../catalog/justification-field.tsx'
import { noticeWrite } from '../../../catalog/write-resource.ts'

export function DeleteDialog({
  resource: { kind, name, generation },
  isOpen,
  onClose,
  onDeleted,
}: {
  readonly resource: Resource
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}) {
  const [justification, setJustification] = useState('')
  const lacksReason = useLacksReason(justification)
  const remove = useMutation({
    mutationFn: async () => {
      await skein.catalog.delete(kind, name, {
        ifGeneration: generation,
        ...(justification.trim() !== '' && { justification: justification.trim() }),
      })
      // A built-in of the same name may show again.
      return readBack(kind, name)
    },
    onSuccess: (left) => {
      noticeWrite(kind, name, left)
      toastSuccess(`Deleted ${name}.`)
      onDeleted()
    },
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={() => {
        remove.reset()
        onClose()
      }}
      title={`Delete ${name}?`}
      description={`Deletes the ${kind} for everyone. Its history stays, so it can be restored.`}
      confirmLabel="Delete"
      isBusy={remove.isPending}
      isDisabled={lacksReason}
      onConfirm={() => remove.mutate()}
    >
      <JustificationField value={justification} onChange={setJustification} />
      {remove.isError && <ErrorNotice error={remove.error} />}
    </ConfirmDialog>
  )
}

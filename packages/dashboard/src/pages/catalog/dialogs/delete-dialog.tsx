import type { Resource } from '@skein/client'
import { skein } from '../../../session/skein.ts'
import { toastSuccess } from '../../../ui/toasts.tsx'
import { readBack } from '../../../catalog/catalog-queries.ts'
import { JustifiedDialog } from '../../../catalog/justified-dialog.tsx'
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
  return (
    <JustifiedDialog
      isOpen={isOpen}
      title={`Delete ${name}?`}
      description={`Deletes the ${kind} for everyone. Its history stays, so it can be restored.`}
      confirmLabel="Delete"
      write={async (justification) => {
        await skein.catalog.delete(kind, name, {
          ifGeneration: generation,
          ...(justification.trim() !== '' && { justification: justification.trim() }),
        })
        // A built-in of the same name may show again.
        return readBack(kind, name)
      }}
      onDone={(left) => {
        noticeWrite(kind, name, left)
        toastSuccess(`Deleted ${name}.`)
        onDeleted()
      }}
      onClose={onClose}
    />
  )
}

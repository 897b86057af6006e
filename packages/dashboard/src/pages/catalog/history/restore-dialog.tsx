import type { Resource } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { toastSuccess } from '../../../ui/toasts.tsx'
import { formatEditable, formatHeld, readEditable, type EditedKind } from '../../../catalog/resource-text.ts'
import { ReviewDialog } from '../dialogs/review-dialog.tsx'
import type { Version } from './version-entry.tsx'
import { writeResource } from '../../../catalog/write-resource.ts'

/** Restores an old document over exactly the current version. */
export function RestoreDialog({
  kind,
  name,
  resource,
  version,
  onClose,
}: {
  readonly kind: EditedKind
  readonly name: string
  readonly resource: Resource | null
  readonly version: Version
  readonly onClose: () => void
}) {
  const text = formatEditable(kind, version.document)
  const restore = useMutation({
    mutationFn: (justification: string) =>
      writeResource({
        kind,
        name,
        document: readEditable(kind, name, text).document,
        ifGeneration: resource?.generation ?? '0',
        justification,
      }),
    onSuccess: () => {
      toastSuccess(`Restored generation ${version.generation} of ${name}.`)
      onClose()
    },
  })
  return (
    <ReviewDialog
      isOpen
      onClose={onClose}
      title={`Restore generation ${version.generation}`}
      description="Saves this version again, as a new generation."
      before={formatHeld(kind, resource)}
      after={text}
      confirmLabel="Restore"
      isBusy={restore.isPending}
      error={restore.error}
      onConfirm={(justification) => restore.mutate(justification)}
    />
  )
}

import { ConfirmDialog } from '../../ui/dialog.tsx'
import { SecretDialog } from '../../catalog/secret-dialog.tsx'

export interface NewKey {
  readonly token: string
  readonly key: string | undefined
}

/** Shows a key once, or explains how to get a new one if the response was lost. */
export function NewKeyDialog({
  newKey,
  onClose,
}: {
  readonly newKey: NewKey | undefined
  readonly onClose: () => void
}) {
  if (newKey !== undefined && newKey.key === undefined)
    return (
      <ConfirmDialog
        isOpen
        onClose={onClose}
        title="The key was lost"
        description={`${newKey.token} was saved, but the response with its key was lost. Rotate it to get a new key.`}
        look="primary"
        confirmLabel="I will rotate it"
        onConfirm={onClose}
      />
    )
  return (
    <SecretDialog
      title={`Key of ${newKey?.token ?? ''}`}
      secrets={newKey?.key === undefined ? undefined : { key: newKey.key }}
      onClose={onClose}
    />
  )
}

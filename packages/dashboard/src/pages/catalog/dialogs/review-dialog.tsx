import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { DiffView } from '../../../ui/text/diff-view.tsx'
import { submitting } from '../../../ui/submitting.ts'
import { JustificationField, useLacksReason } from '../../../catalog/justification-field.tsx'

/** Shows what a write will change. */
export function ReviewDialog({
  isOpen,
  onClose,
  title,
  description,
  before,
  after,
  confirmLabel,
  isBusy,
  error,
  onConfirm,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  readonly description: string
  readonly before: string
  readonly after: string
  readonly confirmLabel: string
  readonly isBusy: boolean
  readonly error: unknown
  readonly onConfirm: (justification: string) => void
}) {
  const [justification, setJustification] = useState('')
  const lacksReason = useLacksReason(justification)
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title} description={description} isWide>
      <DiffView label="Changes" before={before} after={after} />
      <form
        className="flex flex-col gap-4"
        onSubmit={submitting(() => {
          if (!isBusy) onConfirm(justification)
        })}
      >
        <JustificationField value={justification} onChange={setJustification} />
        {error !== null && <ErrorNotice error={error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Go back</Button>
          <Button look="primary" type="submit" isBusy={isBusy} disabled={lacksReason || before === after}>
            {confirmLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

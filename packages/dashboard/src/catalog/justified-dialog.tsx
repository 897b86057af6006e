import { useMutation } from '@tanstack/react-query'
import { useState, type ComponentProps, type ReactNode } from 'react'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { JustificationField, useLacksReason } from './justification-field.tsx'

type Asked = Pick<
  ComponentProps<typeof ConfirmDialog>,
  'title' | 'description' | 'confirmLabel' | 'look' | 'onClose'
>

/** Asks to confirm a write, and why it is made. */
export function JustifiedDialog<Result>({
  isOpen = true,
  write,
  onDone,
  onClose,
  children,
  ...asked
}: Asked & {
  readonly isOpen?: boolean
  readonly write: (justification: string) => Promise<Result>
  readonly onDone: (result: Result) => void | Promise<void>
  readonly children?: ReactNode
}) {
  const [justification, setJustification] = useState('')
  const lacksReason = useLacksReason(justification)
  const writing = useMutation({ mutationFn: () => write(justification), onSuccess: onDone })
  return (
    <ConfirmDialog
      {...asked}
      isOpen={isOpen}
      onClose={() => {
        writing.reset()
        onClose()
      }}
      isBusy={writing.isPending}
      isDisabled={lacksReason}
      onConfirm={() => writing.mutate()}
    >
      {children}
      <JustificationField value={justification} onChange={setJustification} />
      {writing.isError && <ErrorNotice error={writing.error} />}
    </ConfirmDialog>
  )
}

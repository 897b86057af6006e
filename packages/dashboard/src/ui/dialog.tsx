import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button, IconButton, type ButtonLook } from './button.tsx'
import { classNames } from './class-names.ts'

interface DialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  readonly description?: string | undefined
  readonly children: ReactNode
  readonly isWide?: boolean | undefined
}

/** A modal dialog. Escape and the close button close it, and the focus returns to where it was. */
export function Dialog({ isOpen, onClose, title, description, children, isWide = false }: DialogProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Radix.Content
          className={classNames(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[90dvh] w-[calc(100vw-2rem)] -translate-1/2 flex-col gap-4',
            'overflow-y-auto rounded-xl border border-line bg-surface p-5 shadow-raised',
            isWide ? 'max-w-3xl' : 'max-w-lg',
          )}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <div className="flex items-start justify-between gap-4">
            <div>
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-1 text-sm text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton label="Close">
                <X size={18} aria-hidden />
              </IconButton>
            </Radix.Close>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface ConfirmProps extends Omit<DialogProps, 'children'> {
  readonly confirmLabel: string
  readonly look?: ButtonLook | undefined
  readonly isBusy?: boolean | undefined
  readonly isDisabled?: boolean | undefined
  readonly onConfirm: () => void
  readonly children?: ReactNode
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({
  confirmLabel,
  look = 'danger',
  isBusy,
  isDisabled,
  onConfirm,
  children,
  ...dialog
}: ConfirmProps) {
  return (
    <Dialog {...dialog}>
      {children}
      <div className="flex justify-end gap-2">
        <Button onClick={dialog.onClose}>Cancel</Button>
        <Button look={look} isBusy={isBusy} disabled={isDisabled} onClick={onConfirm}>
          {confirmLabel}
        </Button>
      </div>
    </Dialog>
  )
}

import { useBlocker } from '@tanstack/react-router'
import { ConfirmDialog } from '../../../ui/dialog.tsx'

/** Asks before leaving unsaved changes. */
export function LeaveGuard({ isTouched }: { readonly isTouched: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isTouched,
    enableBeforeUnload: () => isTouched,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      isOpen={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      description="Your changes are not saved and will be lost."
      confirmLabel="Leave"
      onConfirm={() => blocker.proceed?.()}
    />
  )
}

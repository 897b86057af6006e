import { X } from 'lucide-react'
import { DismissableLayer } from 'radix-ui/internal'
import { useSyncExternalStore } from 'react'
import { IconButton } from './button.tsx'
import { explainError, Notice } from './notice.tsx'

interface Toast {
  readonly id: number
  readonly tone: 'success' | 'error'
  readonly text: string
}

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function publish(next: readonly Toast[]): void {
  toasts = next
  for (const notify of listeners) notify()
}

function dismiss(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id))
}

function show(tone: Toast['tone'], text: string, lastsMs: number): void {
  const id = ++lastId
  publish([...toasts.slice(-3), { id, tone, text }])
  setTimeout(() => dismiss(id), lastsMs)
}

/** Briefly shows that something was done. */
export function toastSuccess(text: string): void {
  show('success', text, 5000)
}

export function toastError(error: unknown): void {
  show('error', explainError(error), 12_000)
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => toasts,
  )
  return (
    // Dialogs hide everything else from screen readers and the pointer, except live regions. A branch of theirs, so
    // that a click on it doesn't close them.
    <DismissableLayer.Branch
      aria-live="polite"
      className="pointer-events-auto fixed right-4 bottom-4 z-60 flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2 max-sm:bottom-18"
    >
      {shown.map(({ id, tone, text }) => (
        <Notice key={id} tone={tone} className="flex items-start justify-between gap-2 shadow-raised">
          <span className="min-w-0 break-words">{text}</span>
          <IconButton label="Dismiss" className="-my-1 size-6" onClick={() => dismiss(id)}>
            <X size={14} aria-hidden />
          </IconButton>
        </Notice>
      ))}
    </DismissableLayer.Branch>
  )
}

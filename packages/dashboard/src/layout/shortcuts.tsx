import { lazy, Suspense, useEffect, useState } from 'react'
import { isTypingTarget } from '../ui/is-typing-target.ts'

const Palette = lazy(() => import('./palette/palette.tsx'))
const ShortcutHelp = lazy(() => import('./shortcut-help.tsx'))

export type Overlay = 'none' | 'palette' | 'help'

/** Global keyboard shortcuts. Both overlays are loaded on demand. */
export function Shortcuts({
  open,
  onOpen,
}: {
  readonly open: Overlay
  readonly onOpen: (overlay: Overlay) => void
}) {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const overlay = readShortcut(event)
      if (overlay === 'none') return
      event.preventDefault()
      onOpen(overlay)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [onOpen])
  const close = (): void => onOpen('none')
  return (
    <Suspense fallback={null}>
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'help' && <ShortcutHelp onClose={close} />}
    </Suspense>
  )
}

export function useOverlay(): readonly [Overlay, (overlay: Overlay) => void] {
  return useState<Overlay>('none')
}

function readShortcut(event: KeyboardEvent): Overlay {
  // Also in fields, where nobody types it.
  if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey) return 'palette'
  return event.key === '?' && !isTypingTarget(event.target) ? 'help' : 'none'
}

import { Badge } from '../../ui/badge.tsx'
import { pausedMark } from './marks.ts'

/** Below the name of a trigger or schedule: whether it is paused, and what it is for. */
export function PausedState({ isPaused, text }: { readonly isPaused: boolean; readonly text: string }) {
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-2">
      <Badge mark={pausedMark(isPaused)} />
      <span className="min-w-0 break-words">{text}</span>
    </span>
  )
}

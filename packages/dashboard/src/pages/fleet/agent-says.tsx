import type { FleetEntry } from '@skein/client'
import { Hourglass, MessageCircleQuestion, TriangleAlert } from 'lucide-react'
import { toOneLine } from '../../format/one-line.ts'
import { classNames } from '../../ui/class-names.ts'
import { pickWords, type Words } from '../../agent/pick-words.ts'

export const WORD_CLASSES = {
  asks: 'font-medium text-waiting',
  pending: 'text-muted',
  failed: 'text-failed',
  says: 'text-muted',
  task: 'text-muted italic',
} as const satisfies Record<Words['kind'], string>

/** The most important line about an agent: its question, its error, or its last message. */
export function AgentSays({ entry }: { readonly entry: FleetEntry }) {
  const { kind, text } = pickWords(entry)
  const line = toOneLine(text)
  return (
    <span title={line} className={classNames('flex min-w-0 items-center gap-1.5', WORD_CLASSES[kind])}>
      {kind === 'asks' && <MessageCircleQuestion size={15} aria-label="Asks:" className="shrink-0" />}
      {kind === 'pending' && <Hourglass size={14} aria-label="Pending:" className="shrink-0" />}
      {kind === 'failed' && <TriangleAlert size={15} aria-label="Error:" className="shrink-0" />}
      <span className="truncate">{line}</span>
    </span>
  )
}

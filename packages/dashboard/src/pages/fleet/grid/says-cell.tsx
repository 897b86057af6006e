import type { FleetEntry } from '@skein/client'
import { Hourglass, MessageCircleQuestion, TriangleAlert } from 'lucide-react'
import { toOneLine } from '../../../format/one-line.ts'
import { WORD_CLASSES } from '../agent-says.tsx'
import { pickWords } from '../../../agent/pick-words.ts'

const ICON_CLASSES = 'mr-1.5 inline-block align-[-0.15em]'

/** Same as `AgentSays`, but directly in the cell: rendering a row must be cheap. */
export function SaysCell({
  entry,
  role,
  className,
}: {
  readonly entry: FleetEntry
  readonly role: 'gridcell' | undefined
  readonly className: string
}) {
  const { kind, text } = pickWords(entry)
  const line = toOneLine(text)
  return (
    <td role={role} title={line} className={`${className} truncate ${WORD_CLASSES[kind]}`}>
      {kind === 'asks' && <MessageCircleQuestion size={15} aria-label="Asks:" className={ICON_CLASSES} />}
      {kind === 'pending' && <Hourglass size={14} aria-label="Pending:" className={ICON_CLASSES} />}
      {kind === 'failed' && <TriangleAlert size={15} aria-label="Error:" className={ICON_CLASSES} />}
      {line}
    </td>
  )
}

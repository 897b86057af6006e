import { cutText } from '@skein/contract'
import { INVISIBLE, LINE_ENDS } from '../visible-text.ts'

/** More than this is read in the dashboard. */
const MAX_DETAIL_LENGTH = 300

/** Text of an agent as one line of visible characters. Cut first: it may be huge. */
export function toOneLine(text: string): string {
  const visible = cutText(text, 4 * MAX_DETAIL_LENGTH)
    .replaceAll(LINE_ENDS, ' ')
    .replaceAll(INVISIBLE, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toWellFormed()
  if (visible.length <= MAX_DETAIL_LENGTH && text.length <= 4 * MAX_DETAIL_LENGTH) return visible
  return `${cutText(visible, MAX_DETAIL_LENGTH - 1)}…`
}

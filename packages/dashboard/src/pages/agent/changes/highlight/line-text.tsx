import { memo } from 'react'
import type { Highlight } from './use-highlight.ts'

const CLASSES: Readonly<Record<string, string>> = {
  comment: 'text-muted italic',
  quote: 'text-muted italic',
  keyword: 'text-accent-text',
  literal: 'text-accent-text',
  built_in: 'text-accent-text',
  type: 'text-accent-text',
  string: 'text-waiting',
  regexp: 'text-waiting',
  number: 'text-waiting',
  title: 'text-running',
  attr: 'text-running',
  attribute: 'text-running',
  name: 'text-running',
  section: 'text-running',
}

export const LineText = memo(function LineText({
  text,
  highlight,
}: {
  readonly text: string
  readonly highlight: Highlight
}) {
  return (
    <span>
      {highlight(text).map((piece, index) => {
        const classes = CLASSES[piece.kind]
        return classes === undefined ? (
          piece.text
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- a line never changes
          <span key={index} className={classes}>
            {piece.text}
          </span>
        )
      })}
    </span>
  )
})

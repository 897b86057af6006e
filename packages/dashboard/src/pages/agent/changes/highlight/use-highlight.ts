import { useEffect, useState } from 'react'
import type { Piece } from './highlight-line.ts'
import { languageOf } from './language-of.ts'

/** Longer lines are nobody's to read, and a grammar could take long for them. */
const MAX_LINE = 300

export type Highlight = (line: string) => readonly Piece[]

const plain: Highlight = (text) => [{ text, kind: '' }]

/** Plain until the grammars are loaded, or if they cannot be. */
export function useHighlight(path: string): Highlight {
  const [highlight, setHighlight] = useState<{ readonly by: Highlight }>({ by: plain })
  useEffect(() => {
    const language = languageOf(path)
    if (language === undefined) return undefined
    let isGone = false
    void import('./highlight-line.ts')
      .then(({ highlightLine }) => {
        if (isGone) return
        setHighlight({ by: (line) => (line.length > MAX_LINE ? plain(line) : highlightLine(language, line)) })
      })
      .catch(() => undefined)
    return () => {
      isGone = true
    }
  }, [path])
  return highlight.by
}

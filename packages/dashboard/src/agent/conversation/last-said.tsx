import { useEffect, useRef, useState } from 'react'
import type { ConversationItem } from './items.ts'

const SPOKEN = 300

/** Announces the agent's new messages to screen readers. The rows cannot, because they come and go with scrolling. */
export function LastSaid({ items }: { readonly items: readonly ConversationItem[] }) {
  const said = items.findLast((item) => item.type === 'from-agent')
  const first = useRef(said?.sequence)
  const [text, setText] = useState('')
  useEffect(() => {
    if (said === undefined || said.sequence === first.current) return
    first.current = said.sequence
    setText(`The agent says: ${said.text.slice(0, SPOKEN)}`)
  }, [said])
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {text}
    </p>
  )
}

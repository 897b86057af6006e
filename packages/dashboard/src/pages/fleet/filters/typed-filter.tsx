import { useEffect, useRef, useState } from 'react'
import { TextField } from '../../../ui/field.tsx'
import { isTypingTarget } from '../../../ui/is-typing-target.ts'

const PAUSE_MS = 150

/** A text filter. Applied when typing pauses, and cleared when the filter is removed elsewhere. */
export function TypedFilter({
  label,
  placeholder,
  value = '',
  isSlashTarget = false,
  onChange,
}: {
  readonly label: string
  readonly placeholder: string
  readonly value: string | undefined
  /** Whether the key `/` focuses it. */
  readonly isSlashTarget?: boolean
  readonly onChange: (text: string) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(value)
  const [isEditing, setIsEditing] = useState(false)
  const [lastValue, setLastValue] = useState(value)
  const timer = useRef<number | undefined>(undefined)
  if (value !== lastValue) {
    setLastValue(value)
    // While the user is typing, the incoming value is what was typed a moment ago.
    if (!isEditing || value === '') setText(value)
  }
  useEffect(() => () => window.clearTimeout(timer.current), [])
  useEffect(() => {
    if (!isSlashTarget) return undefined
    const focusOnSlash = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTypingTarget(event.target)) return
      event.preventDefault()
      input.current?.focus()
    }
    window.addEventListener('keydown', focusOnSlash)
    return () => window.removeEventListener('keydown', focusOnSlash)
  }, [isSlashTarget])

  const apply = (next: string, pauseMs: number): void => {
    setText(next)
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => onChange(next.trim()), pauseMs)
  }
  return (
    <TextField
      ref={input}
      type="search"
      label={label}
      isLabelHidden
      placeholder={placeholder}
      {...(isSlashTarget && { 'aria-keyshortcuts': '/', title: 'Press / to search' })}
      value={text}
      autoComplete="off"
      spellCheck={false}
      onFocus={() => setIsEditing(true)}
      onBlur={() => setIsEditing(false)}
      onChange={({ target }) => apply(target.value, PAUSE_MS)}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') apply(text, 0)
        if (key === 'Escape' && text === '') currentTarget.blur()
      }}
    />
  )
}

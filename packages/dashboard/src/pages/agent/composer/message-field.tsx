import type { KeyboardEvent, Ref } from 'react'
import { TextArea } from '../../../ui/field.tsx'

/** Grows with its content. Ctrl/⌘ + Enter sends it. */
export function MessageField({
  ref,
  label,
  placeholder,
  text,
  minRows = 1,
  isBusy,
  onChange,
  onSubmit,
}: {
  readonly ref?: Ref<HTMLTextAreaElement>
  readonly label: string
  readonly placeholder: string
  readonly text: string
  readonly minRows?: number
  readonly isBusy: boolean
  readonly onChange: (text: string) => void
  readonly onSubmit: () => void
}) {
  const noticeKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    onSubmit()
  }
  return (
    <TextArea
      {...(ref !== undefined && { ref })}
      label={label}
      isLabelHidden
      rows={Math.min(8, Math.max(minRows, text.split('\n').length))}
      className="resize-none"
      placeholder={placeholder}
      value={text}
      disabled={isBusy}
      onChange={({ target }) => onChange(target.value)}
      onKeyDown={noticeKey}
    />
  )
}

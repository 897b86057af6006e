import { SendHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useChange, type Drive } from '../../../agent/drive.ts'
import { Button } from '../../../ui/button.tsx'
import { TextArea } from '../../../ui/field.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { submitting } from '../../../ui/submitting.ts'

/** A line of a file, before or after the change. */
export interface LinePlace {
  readonly side: 'before' | 'after'
  readonly line: number
}

/** Sent twice, it is one comment: the service recognises it. */
export function CommentForm({
  drive,
  diffId,
  file,
  place,
  onClose,
}: {
  readonly drive: Drive
  readonly diffId: string
  readonly file: number
  readonly place: LinePlace
  readonly onClose: () => void
}) {
  const [text, setText] = useState('')
  const send = useChange(drive, () => drive.agent.commentOnDiff(diffId, { file, ...place, text }), {
    done: 'Sent to the agent.',
    onDone: onClose,
    isErrorShown: true,
  })
  const submit = (): void => {
    if (text.trim() !== '' && !send.isPending) send.mutate()
  }
  const where = place.side === 'before' ? `line ${place.line} before the change` : `line ${place.line}`
  return (
    <form
      aria-label="Comment"
      className="flex flex-col gap-2 border-t border-line p-3"
      onSubmit={submitting(() => submit())}
    >
      <TextArea
        label={`Comment on ${where}`}
        rows={2}
        autoFocus
        maxLength={8192}
        value={text}
        onChange={(change) => setText(change.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose()
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
        }}
      />
      {send.isError && <ErrorNotice error={send.error} />}
      <div className="flex justify-end gap-2">
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
        <Button
          size="small"
          look="primary"
          type="submit"
          isBusy={send.isPending}
          disabled={text.trim() === ''}
        >
          <SendHorizontal size={14} aria-hidden />
          Send to the agent
        </Button>
      </div>
    </form>
  )
}

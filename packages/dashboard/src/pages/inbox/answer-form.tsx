import type { AgentId } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { Check, Send } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { skein } from '../../session/skein.ts'
import { useSendOnce } from '../../session/use-send-once.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { submitting } from '../../ui/submitting.ts'

/** Answers once: the sent answer stays on the card until the agent continues. */
export function AnswerForm({ agentId, title }: { readonly agentId: AgentId; readonly title: string }) {
  const [text, setText] = useState('')
  const sent = useRef<HTMLDivElement>(null)
  const sendOnce = useSendOnce()
  const answer = useMutation({
    mutationFn: (words: string) =>
      sendOnce(words, ({ idempotencyKey }) => skein.agent(agentId).send(words, { idempotencyKey })),
  })
  const isEmpty = text.trim() === ''
  const send = (): void => {
    if (!isEmpty && !answer.isPending && !answer.isSuccess) answer.mutate(text.trim())
  }
  useEffect(() => {
    if (answer.isSuccess) sent.current?.focus()
  }, [answer.isSuccess])
  const sendOnKeys = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    send()
  }

  if (answer.isSuccess) {
    return (
      <div
        ref={sent}
        role="status"
        tabIndex={-1}
        className="rounded-lg border border-completed/40 bg-completed-soft px-3 py-2 text-sm"
      >
        <p className="flex items-center gap-1.5 font-medium text-completed">
          <Check size={16} aria-hidden />
          Sent. The agent will continue in a moment.
        </p>
        <p className="mt-1 break-words whitespace-pre-wrap">{answer.variables}</p>
      </div>
    )
  }
  return (
    <form className="flex flex-col gap-2" onSubmit={submitting(() => send())}>
      <TextArea
        label={`Answer to ${title}`}
        isLabelHidden
        placeholder="Your answer"
        rows={2}
        className="field-sizing-content max-h-80 min-h-16"
        value={text}
        readOnly={answer.isPending}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={sendOnKeys}
      />
      {answer.isError && <ErrorNotice error={answer.error} />}
      <div className="flex items-center justify-end gap-3">
        <span className="text-xs text-muted max-sm:hidden">Ctrl/⌘ + Enter to send</span>
        <Button type="submit" look="primary" disabled={isEmpty} isBusy={answer.isPending}>
          <Send size={15} aria-hidden />
          {answer.isPending ? 'Sending…' : 'Send answer'}
        </Button>
      </div>
    </form>
  )
}

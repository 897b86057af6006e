import type { AgentStatus } from '@skein/client'
import { MessageCircleQuestion, SendHorizontal } from 'lucide-react'
import { useRef, useState } from 'react'
import { useSendOnce } from '../../../session/use-send-once.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { Markdown } from '../../../ui/text/markdown.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { useChange, type Drive } from '../../../agent/drive.ts'
import { ComposerBox } from './composer-box.tsx'
import {
  listDeliveries,
  readDelivery,
  readDeliveryTime,
  settleDelivery,
  toSendOptions,
  type Delivery,
} from './delivery.ts'
import { LaterFields } from './later-fields.tsx'
import { MessageField } from './message-field.tsx'
import { WorkingLine } from './working-line.tsx'

const SENT: Readonly<Record<Delivery, string>> = {
  queue: 'Queued for the agent.',
  steer: 'Sent to the current run.',
  preempt: 'Run interrupted; your message is next.',
  later: 'Deferred.',
}

export interface ComposerProps {
  readonly status: AgentStatus
  readonly drive: Drive
  /** Whether the conversation above leaves space for a checklist. */
  readonly hasAside: boolean
  /** Kept outside, because the agent may end or continue while the user types. */
  readonly text: string
  readonly onType: (text: string) => void
}

/** For messages to the agent. Its question, if any, is shown above. */
export function Composer({ status, drive, hasAside, text, onType }: ComposerProps) {
  const [chosen, setChosen] = useState<Delivery>('queue')
  const [later, setLater] = useState({ minutes: '60', localTime: '' })
  const [problem, setProblem] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const choices = listDeliveries(status)
  const delivery = settleDelivery(chosen, choices)
  const isAsked = status.needsInput !== ''
  const sendOnce = useSendOnce()
  const send = useChange(
    drive,
    () =>
      sendOnce([text, delivery, delivery === 'later' && later], ({ idempotencyKey, firstMs }) => {
        const { deliverAt } = readDeliveryTime(later, firstMs)
        return drive.agent.send(text, { ...toSendOptions(delivery, deliverAt), idempotencyKey })
      }),
    {
      done: SENT[delivery],
      // A toast would cover the button for sending again.
      isErrorShown: true,
      onDone: () => {
        onType('')
        setChosen('queue')
        field.current?.focus()
      },
    },
  )
  const submit = (): void => {
    if (text.trim() === '' || send.isPending) return
    const found = delivery === 'later' ? readDeliveryTime(later, Date.now()).problem : ''
    setProblem(found)
    if (found === '') send.mutate()
  }
  return (
    <ComposerBox label="Write to the agent" hasAside={hasAside}>
      <WorkingLine status={status} drive={drive} />
      {isAsked && <Question text={status.needsInput} />}
      <MessageField
        ref={field}
        label={isAsked ? 'Your answer' : 'Message'}
        placeholder={isAsked ? 'Your answer…' : 'Write to the agent…'}
        text={text}
        minRows={isAsked ? 2 : 1}
        isBusy={send.isPending}
        onChange={onType}
        onSubmit={submit}
      />
      {send.isError && <ErrorNotice error={send.error} />}
      <div className="flex flex-wrap items-start justify-end gap-2">
        <span className="mr-auto self-center text-xs text-muted max-sm:hidden">Ctrl/⌘ + Enter to send</span>
        {delivery === 'later' && <LaterFields choice={later} onChange={setLater} problem={problem} />}
        <SelectField
          label="When to deliver"
          isLabelHidden
          className="max-sm:w-44"
          choices={choices}
          value={delivery}
          onChange={({ target }) => setChosen(readDelivery(target.value))}
        />
        <Button look="primary" isBusy={send.isPending} disabled={text.trim() === ''} onClick={submit}>
          <SendHorizontal size={16} aria-hidden />
          {isAsked ? 'Answer' : 'Send'}
        </Button>
      </div>
    </ComposerBox>
  )
}

function Question({ text }: { readonly text: string }) {
  return (
    <div
      role="status"
      className="flex gap-2.5 rounded-lg border border-waiting/40 bg-waiting-soft px-3.5 py-2.5 text-sm"
    >
      <MessageCircleQuestion size={18} aria-hidden className="mt-0.5 shrink-0 text-waiting" />
      <div className="min-w-0">
        <p className="text-xs font-semibold text-waiting">The agent asks</p>
        <div tabIndex={0} role="region" aria-label="Its question" className="max-h-40 overflow-y-auto">
          <Markdown text={text} />
        </div>
      </div>
    </div>
  )
}

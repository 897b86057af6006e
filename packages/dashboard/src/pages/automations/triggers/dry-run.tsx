import type { TestTriggerResponse } from '@skein/client'
import { useMutation } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { skein } from '../../../session/skein.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { outcomeMark } from '../marks.ts'
import { TextBlock } from '../../../ui/text/text-block.tsx'

/** Shows what the trigger, as it is now, would do with a request. Nothing happens. */
export function DryRun({
  name,
  headers,
  body,
}: {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}) {
  const test = useMutation({
    mutationFn: async () => {
      const { document } = await skein.catalog.get('trigger', name)
      return skein.triggers.test(document, { name, headers, body })
    },
  })
  return (
    <>
      <Button size="small" isBusy={test.isPending} onClick={() => test.mutate()}>
        <FlaskConical size={14} aria-hidden /> Test
      </Button>
      {test.isError && <ErrorNotice error={test.error} className="w-full" />}
      {test.data !== undefined && <Result result={test.data} />}
    </>
  )
}

function Result({ result }: { readonly result: TestTriggerResponse }) {
  const { outcome, reason, agent, description, message } = result
  return (
    <div
      role="status"
      className="flex w-full min-w-0 flex-col gap-2 rounded-lg border border-line p-3 text-sm"
    >
      <p className="flex flex-wrap items-center gap-2">
        <span className="text-muted">The trigger as it is now:</span>
        <Badge mark={outcomeMark(outcome)} />
        <span className="min-w-0 font-medium break-all">{agent}</span>
        {reason !== '' && <span className="min-w-0 break-words text-muted">{reason}</span>}
      </p>
      {message !== '' && <TextBlock label="Message" text={message} />}
      {description !== '' && (
        <TextBlock label={outcome === 'SENT' ? 'Work, if it is not alive' : 'Work'} text={description} />
      )}
    </div>
  )
}

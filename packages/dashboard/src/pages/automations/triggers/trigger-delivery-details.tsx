import type { TriggerDelivery } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { prettify } from '../../../agent/conversation/tool-text.ts'
import { skein } from '../../../session/skein.ts'
import { Button } from '../../../ui/button.tsx'
import { RetryNotice } from '../../../ui/retry-notice.tsx'
import { toastSuccess } from '../../../ui/toasts.tsx'
import { AgentOfProfile } from '../agent-of-profile.tsx'
import { refreshAutomations } from '../automation-queries.ts'
import { decodeBody, formatHeaders } from '../request-text.ts'
import { TextBlock } from '../../../ui/text/text-block.tsx'
import { useAct } from '../use-act.tsx'
import { DryRun } from './dry-run.tsx'

/** A request, and what to do with it. */
export function TriggerDeliveryDetails({
  name,
  delivery,
  canWrite,
}: {
  readonly name: string
  readonly delivery: TriggerDelivery
  readonly canWrite: boolean
}) {
  return (
    <>
      <p className="flex flex-wrap gap-x-3 text-sm">
        <AgentOfProfile {...delivery} />
        <code className="break-all text-muted">{delivery.id}</code>
      </p>
      {canWrite && <Request name={name} delivery={delivery} />}
    </>
  )
}

function Request({ name, delivery }: { readonly name: string; readonly delivery: TriggerDelivery }) {
  const { id, isKept } = delivery
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['trigger-delivery', name, id, isKept],
    queryFn: async ({ signal }) => {
      const { headers, body } = await skein.triggers.delivery(name, id, { signal })
      return { headers, body: decodeBody(body) }
    },
    staleTime: Infinity,
  })
  const { start, isBusy, dialog } = useAct({
    question: 'Apply this request again?',
    confirmLabel: 'Redeliver',
    act: (deliveryId: string, options) => skein.triggers.redeliver(name, deliveryId, options),
    onDone: () => {
      toastSuccess('Delivered again, as a new delivery.')
      refreshAutomations()
    },
  })
  if (error !== null) return <RetryNotice error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (data === undefined) return <p className="text-sm text-muted">Loading…</p>
  return (
    <>
      {isKept && (
        <div className="flex flex-wrap gap-2">
          <Button size="small" isBusy={isBusy} onClick={() => start(id)}>
            <History size={14} aria-hidden /> Redeliver
          </Button>
          <DryRun name={name} headers={data.headers} body={data.body} />
        </div>
      )}
      <TextBlock label="Request headers that are stored" text={formatHeaders(data.headers)} />
      <TextBlock label="Request body" text={isKept ? prettify(data.body) : 'Its body is no longer kept.'} />
      {dialog}
    </>
  )
}

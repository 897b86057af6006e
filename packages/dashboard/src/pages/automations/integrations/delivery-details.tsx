import type { Delivery } from '@skein/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { prettify } from '../../../agent/conversation/tool-text.ts'
import { agentLink } from '../../../format/agent-link.ts'
import { skein } from '../../../session/skein.ts'
import { Button, buttonClasses } from '../../../ui/button.tsx'
import { RetryNotice } from '../../../ui/retry-notice.tsx'
import { formatHeaders } from '../request-text.ts'
import { TextBlock } from '../../../ui/text/text-block.tsx'
import { useReplay } from './use-replay.ts'

/** A request and its response. */
export function DeliveryDetails({
  name,
  delivery,
  canWrite,
  canReplay,
}: {
  readonly name: string
  readonly delivery: Delivery
  readonly canWrite: boolean
  readonly canReplay: boolean
}) {
  const { agentId, sequence, messageId } = delivery
  const { start, isBusy, dialog } = useReplay(name)
  return (
    <>
      {agentId !== undefined && (
        <div className="flex flex-wrap gap-2">
          {canReplay && (
            <Button
              size="small"
              isBusy={isBusy}
              onClick={() => start({ agentId, firstSequence: sequence, lastSequence: sequence })}
            >
              <History size={14} aria-hidden /> Send again
            </Button>
          )}
          <Link
            {...agentLink(agentId)}
            search={{ event: Number(sequence) }}
            className={buttonClasses({ size: 'small' })}
          >
            Show the agent
          </Link>
        </div>
      )}
      {messageId !== '' && (
        <p className="text-sm text-muted">
          Part of the message <code className="break-all">{messageId}</code>, together with all other
          deliveries with this id.
        </p>
      )}
      {canWrite && messageId === '' && <Request name={name} delivery={delivery} />}
      <TextBlock
        label={delivery.status === 0 ? 'Response' : `Response, status ${delivery.status}`}
        text={prettify(delivery.response)}
      />
      {dialog}
    </>
  )
}

function Request({ name, delivery }: { readonly name: string; readonly delivery: Delivery }) {
  const { id, time } = delivery
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['delivery', name, id],
    queryFn: ({ signal }) => skein.integrations.delivery(name, { id, time }, { signal }),
    // What was sent doesn't change.
    staleTime: Infinity,
  })
  if (error !== null) return <RetryNotice error={error} isBusy={isFetching} onRetry={() => void refetch()} />
  if (data === undefined) return <p className="text-sm text-muted">Loading…</p>
  // A message for people is not kept.
  if (Object.keys(data.headers).length === 0) return null
  return (
    <>
      <TextBlock label="Request headers" text={formatHeaders(data.headers, '(from a secret)')} />
      <TextBlock
        label="Request body"
        text={data.body === '' ? 'The agent was deleted, and its events with it.' : prettify(data.body)}
      />
    </>
  )
}

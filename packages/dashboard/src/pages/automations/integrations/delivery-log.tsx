import type { Delivery } from '@skein/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CheckField } from '../../../ui/field.tsx'
import { Ago } from '../../../ui/time.tsx'
import { deliveriesQuery } from '../automation-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { LogCard } from '../log-card.tsx'
import { LogEntry } from '../log-entry.tsx'
import { deliveryMark } from '../marks.ts'
import { DeliveryDetails } from './delivery-details.tsx'

/** Requests to the receiver. */
export function DeliveryLog({
  name,
  canWrite,
  canReplay,
}: {
  readonly name: string
  readonly canWrite: boolean
  readonly canReplay: boolean
}) {
  const [isFailedOnly, setIsFailedOnly] = useState(false)
  const log = useInfiniteQuery(deliveriesQuery(name, isFailedOnly))
  const deliveries = log.data?.pages.flatMap((page) => page.deliveries) ?? []
  return (
    <LogCard
      title="Deliveries of the last seven days"
      actions={
        <CheckField
          label="Only failed"
          checked={isFailedOnly}
          onChange={({ target }) => setIsFailedOnly(target.checked)}
        />
      }
      pages={log}
      moreLabel="Show older deliveries"
      empty={isFailedOnly ? 'No request failed.' : 'Nothing was sent yet. A test sends an event now.'}
      entries={deliveries.map((delivery) => (
        <LogEntry key={delivery.id} summary={<Summary delivery={delivery} />}>
          {() => (
            <DeliveryDetails name={name} delivery={delivery} canWrite={canWrite} canReplay={canReplay} />
          )}
        </LogEntry>
      ))}
    />
  )
}

function Summary({ delivery }: { readonly delivery: Delivery }) {
  const { type, agentId, sequence, attempt, latencyMs, time, error } = delivery
  return (
    <>
      <Badge mark={deliveryMark(delivery)} />
      <code className="font-medium break-all">{type}</code>
      {agentId !== undefined && (
        <span className="min-w-0 break-all text-muted">
          {[agentId.workspace, ...agentId.agent].join('/')} #{sequence}
        </span>
      )}
      {attempt > 1 && <span className="text-muted">attempt {attempt}</span>}
      <span className="ml-auto flex gap-3 text-muted tabular-nums max-sm:ml-0">
        <span>{latencyMs} ms</span>
        <Ago time={time} />
      </span>
      {error !== '' && <span className="w-full break-words text-failed">{error}</span>}
    </>
  )
}

import type { TriggerDelivery } from '@skein/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Ago } from '../../../ui/time.tsx'
import { triggerDeliveriesQuery } from '../automation-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { LogCard } from '../log-card.tsx'
import { LogEntry } from '../log-entry.tsx'
import { outcomeMark } from '../marks.ts'
import { TriggerDeliveryDetails } from './trigger-delivery-details.tsx'

/** Requests to the trigger. */
export function TriggerLog({ name, canWrite }: { readonly name: string; readonly canWrite: boolean }) {
  const log = useInfiniteQuery(triggerDeliveriesQuery(name))
  const deliveries = log.data?.pages.flatMap((page) => page.deliveries) ?? []
  return (
    <LogCard
      title="Deliveries of the last seven days"
      pages={log}
      moreLabel="Show older deliveries"
      empty="No genuine requests. Requests with a wrong signature are not recorded."
      entries={deliveries.map((delivery) => (
        <LogEntry key={delivery.id} summary={<Summary delivery={delivery} />}>
          {() => <TriggerDeliveryDetails name={name} delivery={delivery} canWrite={canWrite} />}
        </LogEntry>
      ))}
    />
  )
}

function Summary({ delivery }: { readonly delivery: TriggerDelivery }) {
  const { outcome, agent, workspace, reason, time, redeliveryOf } = delivery
  return (
    <>
      <Badge mark={outcomeMark(outcome)} />
      {agent !== '' && (
        <span className="min-w-0 font-medium break-all">
          {workspace}/{agent}
        </span>
      )}
      {redeliveryOf !== '' && <span className="text-muted">redelivered</span>}
      {reason !== '' && <span className="min-w-0 break-words text-muted">{reason}</span>}
      <span className="ml-auto text-muted max-sm:ml-0">
        <Ago time={time} />
      </span>
    </>
  )
}

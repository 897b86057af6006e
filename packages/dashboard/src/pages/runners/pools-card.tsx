import { Card } from '../../ui/card.tsx'
import { Ago } from '../../ui/time.tsx'
import { Fact } from '../../ui/fact.tsx'
import type { PoolRow } from './pool-rows.ts'

/** The work of each pool, and whether it has a runner. */
export function PoolsCard({ pools }: { readonly pools: readonly PoolRow[] }) {
  if (pools.length === 0) return null
  return (
    <Card title="Queue per pool">
      <ul className="divide-y divide-line">
        {pools.map((pool) => (
          <li key={pool.name} className="flex min-w-0 flex-col gap-2 px-4 py-3 text-sm">
            <h3 className="min-w-0 break-words">
              <span className="font-semibold">{pool.name}</span>
              {pool.isStuck && <span className="ml-2 text-xs text-failed">no runner online</span>}
            </h3>
            <dl className="grid grid-cols-3 gap-x-6 gap-y-2 lg:grid-cols-6">
              <Fact name="Running">{pool.running}</Fact>
              <Fact name="Queued">{pool.queued}</Fact>
              <Fact name="Oldest">
                <Ago time={pool.queuedSince} />
              </Fact>
              <Fact name="Delayed">{pool.delayed}</Fact>
              <Fact name="Slots">{pool.slots}</Fact>
              <Fact name="Runners online">{pool.online}</Fact>
            </dl>
          </li>
        ))}
      </ul>
    </Card>
  )
}

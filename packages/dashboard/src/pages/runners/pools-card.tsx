import { Ago } from '../../ui/time.tsx'
import { Card } from '../../ui/card.tsx'
import { Cell, Table } from '../agent/table.tsx'
import type { PoolRow } from './pool-rows.ts'

const COLUMNS = [
  { title: 'Pool' },
  { title: 'Running', isNumber: true },
  { title: 'Queued', isNumber: true },
  { title: 'Oldest', isNumber: true },
  { title: 'Delayed', isNumber: true },
  { title: 'Slots', isNumber: true },
]

/** How much work each pool has, and whether somebody is there to do it. */
export function PoolsCard({ pools }: { readonly pools: readonly PoolRow[] }) {
  if (pools.length === 0) return null
  return (
    <Card title="Queue per pool">
      <Table label="Queue per pool" columns={COLUMNS}>
        {pools.map((pool) => (
          <tr key={pool.name}>
            <Cell>
              <span className="font-medium">{pool.name}</span>
              {pool.isStuck && <span className="block text-xs text-failed">no runner online</span>}
            </Cell>
            <Cell isNumber>{pool.running}</Cell>
            <Cell isNumber>{pool.queued}</Cell>
            <Cell isNumber>
              <Ago time={pool.queuedSince} />
            </Cell>
            <Cell isNumber>{pool.delayed}</Cell>
            <Cell isNumber>{pool.slots}</Cell>
          </tr>
        ))}
      </Table>
    </Card>
  )
}

import { History } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { useReplay } from './use-replay.ts'

const HOUR_MS = 3_600_000
const SPANS = [
  { label: 'Everything from the last hour', ms: HOUR_MS },
  { label: 'Everything from the last 24 hours', ms: 24 * HOUR_MS },
  // A little less than the service allows, because the request takes time.
  { label: 'Everything from the last 7 days', ms: 7 * 24 * HOUR_MS - 60_000 },
]

export function ReplayMenu({ name }: { readonly name: string }) {
  const { start, isBusy, dialog } = useReplay(name)
  return (
    <>
      <Menu
        trigger={
          <Button isBusy={isBusy}>
            <History size={14} aria-hidden /> Replay
          </Button>
        }
        items={SPANS.map(({ label, ms }) => ({
          label,
          onSelect: () => start({ sinceTime: new Date(Date.now() - ms).toISOString() }),
        }))}
      />
      {dialog}
    </>
  )
}

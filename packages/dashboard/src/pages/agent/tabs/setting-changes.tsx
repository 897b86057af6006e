import type { TimelineEvent } from '@skein/client'
import { useMemo } from 'react'
import { Card } from '../../../ui/card.tsx'
import { Ago } from '../../../ui/time.tsx'
import { describeEvent } from '../../../agent/conversation/notes.ts'

/** Setting overrides with time and author, newest first, as far as events are loaded. */
export function SettingChanges({ events }: { readonly events: readonly TimelineEvent[] }) {
  const changes = useMemo(
    () => events.filter(({ type }) => type === 'agent.settings-changed').toReversed(),
    [events],
  )
  if (changes.length === 0) return null
  return (
    <Card title="Overrides">
      <ol className="divide-y divide-line text-sm">
        {changes.map((event) => (
          <li key={event.sequence} className="flex flex-wrap justify-between gap-x-4 px-4 py-2">
            <span className="min-w-0 break-words">{describeEvent(event).text}</span>
            <span className="text-xs text-muted">
              by {event.actor}, <Ago time={event.time} />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

import { Link2 } from 'lucide-react'
import { createContext, useContext } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { toastError, toastSuccess } from '../../ui/toasts.tsx'

/** The URL of an event; undefined where events have none, as on a shared page. */
export type EventAddress = ((sequence: number) => string) | undefined

export const EventAddressContext = createContext<EventAddress>(undefined)

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** The time of an event, with a link to it. */
export function EventPlace({ sequence, time }: { readonly sequence: number; readonly time: string }) {
  const addressOf = useContext(EventAddressContext)
  const at = new Date(time)
  return (
    <span className="inline-flex shrink-0 items-center gap-0.5 text-xs text-muted">
      {/* Browsers provide no clipboard on pages served over plain HTTP. */}
      {addressOf !== undefined && window.isSecureContext && (
        <IconButton
          label={`Copy a link to event ${sequence}`}
          className="size-6 opacity-0 group-hover/item:opacity-100 focus-visible:opacity-100"
          onClick={() => {
            const address = new URL(addressOf(sequence), window.location.origin).href
            navigator.clipboard
              .writeText(address)
              .then(() => toastSuccess('Link copied.'))
              .catch(toastError)
          }}
        >
          <Link2 size={13} aria-hidden />
        </IconButton>
      )}
      <time dateTime={time} title={`${at.toLocaleString()} · event ${sequence}`} className="tabular-nums">
        {CLOCK.format(at)}
      </time>
    </span>
  )
}

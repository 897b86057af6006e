import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import { useId, useMemo, useState, type KeyboardEvent } from 'react'
import { agentLink } from '../../format/agent-link.ts'
import { canWriteCatalog, useIdentity } from '../../session/identity.ts'
import { skein } from '../../session/skein.ts'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { AgentBadge } from '../../ui/phase-badge.tsx'
import { findPlaces, listPages, type Place } from './find-places.ts'

const MAX_KNOWN = 500

/** Opens a page or an agent by a few letters of its name. */
export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const identity = useIdentity()
  const navigate = useNavigate()
  const listId = useId()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { data } = useQuery({
    queryKey: ['palette'],
    queryFn: ({ signal }) =>
      skein.listFleet({ account: '*', includeTerminal: true, pageSize: MAX_KNOWN, signal }),
  })
  const pages = useMemo(() => listPages(canWriteCatalog(identity)), [identity])
  const places = useMemo(() => findPlaces(text, pages, data?.entries ?? []), [text, pages, data])
  const active = Math.min(chosen, places.length - 1)
  const go = (place: Place | undefined): void => {
    if (place === undefined) return
    onClose()
    void navigate(place.type === 'page' ? { to: place.to } : agentLink(place.agentId))
  }
  const noticeKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) go(places[active])
    else if (places.length > 0) setChosen((active + step + places.length) % places.length)
  }
  return (
    <Dialog isOpen onClose={onClose} title="Go to…">
      <input
        autoFocus
        role="combobox"
        aria-label="Page or agent"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={places.length === 0 ? undefined : `${listId}-${active}`}
        placeholder="Page or agent"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setChosen(0)
        }}
        onKeyDown={noticeKey}
        className="h-10 w-full rounded-md border border-line-strong/60 bg-surface px-3 text-sm"
      />
      <div
        id={listId}
        role="listbox"
        aria-label="Pages and agents"
        className="-mx-2 max-h-[50dvh] min-h-24 overflow-y-auto"
      >
        {places.map((place, index) => (
          <button
            type="button"
            tabIndex={-1}
            key={`${place.type} ${place.type === 'page' ? place.to : place.agentId.account} ${place.label}`}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => go(place)}
            onPointerMove={() => setChosen(index)}
            className={classNames(
              'flex w-full min-w-0 items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm',
              index === active && 'bg-raised',
            )}
          >
            {place.type === 'page' && <FileText size={15} aria-hidden className="shrink-0 text-muted" />}
            <span className="min-w-0 flex-1 truncate">{place.label}</span>
            {place.type === 'agent' && <AgentBadge entry={place.entry} />}
          </button>
        ))}
      </div>
      {places.length === 0 && <p className="text-sm text-muted">Nothing found.</p>}
    </Dialog>
  )
}

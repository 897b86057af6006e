import { ChevronRight } from 'lucide-react'
import { useState, type ReactNode } from 'react'

/** One line of a log, which expands. What is inside is loaded only then. */
export function LogEntry({
  summary,
  children,
}: {
  readonly summary: ReactNode
  readonly children: () => ReactNode
}) {
  const [isOpened, setIsOpened] = useState(false)
  return (
    <li>
      <details
        className="group/entry"
        onToggle={({ currentTarget }) => currentTarget.open && setIsOpened(true)}
      >
        <summary className="flex items-start gap-2 px-4 py-2.5 text-sm hover:bg-raised">
          <ChevronRight
            size={14}
            aria-hidden
            className="mt-1 shrink-0 text-muted transition-transform group-open/entry:rotate-90"
          />
          <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 gap-y-1">{summary}</span>
        </summary>
        {isOpened && <div className="flex min-w-0 flex-col gap-3 px-4 pb-4 sm:pl-9.5">{children()}</div>}
      </details>
    </li>
  )
}

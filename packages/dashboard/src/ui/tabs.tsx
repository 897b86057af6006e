import { Tabs as Radix } from 'radix-ui'
import { useEffect, useRef, useState, type ReactNode } from 'react'

export interface Tab {
  readonly id: string
  readonly label: string
  /** Shown next to the label, such as the number of items. */
  readonly count?: number | undefined
  readonly content: ReactNode
}

export function Tabs({
  label,
  tabs,
  selected,
  onSelect,
}: {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly selected: string
  readonly onSelect: (id: string) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  // On a phone not all tabs fit: the selected one must be visible.
  useEffect(() => {
    const chosen = list.current?.querySelector(`[data-tab="${CSS.escape(selected)}"]`)
    chosen?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [selected])
  return (
    <Radix.Root value={selected} onValueChange={onSelect} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <Radix.List
        ref={list}
        aria-label={label}
        className="flex shrink-0 gap-1 overflow-x-auto border-b border-line"
      >
        {tabs.map(({ id, label: title, count }) => (
          <Radix.Trigger
            key={id}
            value={id}
            data-tab={id}
            className="-mb-px flex items-center gap-1.5 border-b-2 border-transparent px-3 py-2 text-sm font-medium whitespace-nowrap text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {title}
            {count !== undefined && count > 0 && (
              <span className="rounded-full bg-raised px-1.5 text-xs tabular-nums">{count}</span>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id} className="min-h-0 flex-1 pt-4 outline-none">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

/** Tabs that start with the first one, and that nobody links to. */
export function LocalTabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const [selected, setSelected] = useState(tabs[0]?.id ?? '')
  return <Tabs label={label} tabs={tabs} selected={selected} onSelect={setSelected} />
}

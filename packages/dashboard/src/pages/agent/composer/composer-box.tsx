import type { ReactNode } from 'react'
import { classNames } from '../../../ui/class-names.ts'

/** The bottom of an agent's page, aligned with the conversation, which leaves space for a checklist. */
export function ComposerBox({
  label,
  hasAside,
  children,
}: {
  readonly label: string
  readonly hasAside: boolean
  readonly children: ReactNode
}) {
  return (
    <section
      aria-label={label}
      className={classNames('shrink-0 border-t border-line bg-surface', hasAside && 'xl:pr-80')}
    >
      {/* The conversation above scrolls, and its scroll bar takes space from its column. */}
      <div className="overflow-hidden px-4 py-3 [scrollbar-gutter:stable]">
        <div className="mx-auto flex max-w-4xl flex-col gap-2">{children}</div>
      </div>
    </section>
  )
}

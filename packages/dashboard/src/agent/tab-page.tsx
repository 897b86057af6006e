import type { ReactNode } from 'react'

/** A tab that scrolls on its own, between the header and the composer. */
export function TabPage({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div tabIndex={0} role="region" aria-label={label} className="h-full min-h-0 overflow-y-auto px-4 pb-6">
      <div className="mx-auto flex max-w-5xl min-w-0 flex-col gap-4">{children}</div>
    </div>
  )
}

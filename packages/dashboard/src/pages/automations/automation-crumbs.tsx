import { Link } from '@tanstack/react-router'
import type { AutomationTab } from './automations-search.ts'

/** Breadcrumbs of one automation. */
export function AutomationCrumbs({ tab, label }: { readonly tab: AutomationTab; readonly label: string }) {
  return (
    <nav aria-label="Automations" className="flex flex-wrap gap-1.5 text-sm text-muted">
      <Link to="/automations" className="text-accent-text hover:underline">
        Automations
      </Link>
      <span aria-hidden>/</span>
      <Link to="/automations" search={{ tab }} className="text-accent-text hover:underline">
        {label}
      </Link>
    </nav>
  )
}

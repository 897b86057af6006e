import { Link } from '@tanstack/react-router'
import type { AutomationTab } from './automations-search.ts'

const LABELS: Readonly<Record<AutomationTab, string>> = {
  integrations: 'Integrations',
  triggers: 'Triggers',
  schedules: 'Schedules',
}

/** Breadcrumbs of one automation. */
export function AutomationCrumbs({ tab }: { readonly tab: AutomationTab }) {
  return (
    <nav aria-label="Automations" className="flex flex-wrap gap-1.5 text-sm text-muted">
      <Link to="/automations" className="text-accent-text hover:underline">
        Automations
      </Link>
      <span aria-hidden>/</span>
      <Link to="/automations" search={{ tab }} className="text-accent-text hover:underline">
        {LABELS[tab]}
      </Link>
    </nav>
  )
}

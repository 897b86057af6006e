import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { AutomationCrumbs } from './automation-crumbs.tsx'
import { LoadState } from './load-state.tsx'
import { MissingAutomation } from './missing-automation.tsx'

/** The page of the automation with this name, which is one of a list. */
export function AutomationPage<Entry extends { readonly name: string }>({
  kind,
  name,
  query,
  renderBoard,
}: {
  readonly kind: 'integration' | 'trigger'
  readonly name: string
  readonly query: UseQueryResult<readonly Entry[]>
  readonly renderBoard: (entry: Entry) => ReactNode
}) {
  const { data } = query
  const entry = data?.find((each) => each.name === name)
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-col gap-4 p-4 lg:p-6">
      <AutomationCrumbs tab={`${kind}s`} />
      <LoadState query={query} />
      {data !== undefined &&
        (entry === undefined ? <MissingAutomation kind={kind} name={name} /> : renderBoard(entry))}
    </div>
  )
}

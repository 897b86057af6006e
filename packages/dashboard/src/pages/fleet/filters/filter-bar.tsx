import type { SummarizeFleetResponse } from '@skein/client'
import { SlidersHorizontal } from 'lucide-react'
import { useState } from 'react'
import { withTeam } from '../../../catalog/team-names.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { CheckField, choicesOf, SelectField } from '../../../ui/field.tsx'
import { toChoices } from './choices.ts'
import type { FleetSearch } from '../fleet-search.ts'
import { TypedFilter } from './typed-filter.tsx'
import { useChangeSearch } from './use-change-search.ts'

const CHOSEN = {
  account: { label: 'Whose', usual: choicesOf({ '': 'All owners', mine: 'Mine' }) },
  workspace: { label: 'Workspace', usual: choicesOf({ '': 'All workspaces' }) },
}

export function FilterBar({
  search,
  accounts,
  workspaces,
  teams,
}: {
  readonly search: FleetSearch
  readonly accounts: readonly string[]
  readonly workspaces: SummarizeFleetResponse['workspaces']
  readonly teams: ReadonlyMap<string, string>
}) {
  const change = useChangeSearch()
  const [isOpen, setIsOpen] = useState(false)
  const names = { account: accounts, workspace: workspaces.map(({ workspace }) => workspace) }
  return (
    <search aria-label="Agents" className="flex flex-wrap items-center gap-2">
      <div className="min-w-0 flex-1 basis-64">
        <TypedFilter
          label="Find agents"
          placeholder="Find by name, question or message"
          value={search.text}
          isSlashTarget
          onChange={(text) => change((before) => ({ ...before, text }), { isTyping: true })}
        />
      </div>
      <Button
        className="md:hidden"
        aria-expanded={isOpen}
        aria-controls="fleet-filters"
        onClick={() => setIsOpen(!isOpen)}
      >
        <SlidersHorizontal size={16} aria-hidden />
        Filters
      </Button>
      <div
        id="fleet-filters"
        className={classNames(
          'flex flex-wrap items-center gap-2 max-md:w-full',
          !isOpen && 'max-md:hidden',
          '[&>*]:max-md:w-full',
        )}
      >
        {(['account', 'workspace'] as const).map((field) => (
          <SelectField
            key={field}
            label={CHOSEN[field].label}
            isLabelHidden
            className="md:max-w-44"
            value={search[field] ?? ''}
            choices={toChoices(CHOSEN[field].usual, names[field], search[field], (name) =>
              field === 'workspace' ? withTeam(name, teams) : name,
            )}
            onChange={({ target }) => change((before) => ({ ...before, [field]: target.value }))}
          />
        ))}
        <div className="md:w-44">
          <TypedFilter
            label="Labels"
            placeholder="Labels: team=docs"
            value={search.label}
            onChange={(label) => change((before) => ({ ...before, label }), { isTyping: true })}
          />
        </div>
        <CheckField
          label="Include ended"
          className="px-1 whitespace-nowrap"
          checked={search.ended === true}
          onChange={({ target }) =>
            change((before) => ({ ...before, ended: target.checked ? true : undefined }))
          }
        />
      </div>
    </search>
  )
}

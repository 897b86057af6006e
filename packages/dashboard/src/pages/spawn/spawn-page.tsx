import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { canDrive } from '../../session/drive-rights.ts'
import { useIdentity } from '../../session/identity.ts'
import { PageHeader } from '../../ui/card.tsx'
import { Notice } from '../../ui/notice.tsx'
import { CopyBoard } from './copy-board.tsx'
import { SpawnBoard } from './spawn-board.tsx'
import { readChoice, type SpawnChoice } from '../../agent/spawn-search.ts'

const HEADINGS = {
  new: { title: 'Spawn an agent', describe: () => 'Describe the task; everything else has a default.' },
  unreadable: { title: 'Spawn an agent', describe: () => '' },
  child: {
    title: 'Spawn a child',
    describe: (name: string) => `Under ${name}. It reports to its parent when it ends.`,
  },
  copy: {
    title: 'Duplicate an agent',
    describe: (name: string) => `Task, settings and open checklist of ${name}, under a new name.`,
  },
}

export function SpawnPage() {
  const identity = useIdentity()
  const search = useSearch({ from: '/shell/spawn' })
  const choice = useMemo(() => readChoice(search), [search])
  const { title, describe } = HEADINGS[choice.type]
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-5 p-4 lg:p-6">
      <PageHeader title={title} description={describe('name' in choice ? choice.name : '')} />
      {canDrive(identity) ? (
        <ChosenBoard choice={choice} />
      ) : (
        <Notice>Your role ({identity.role}) cannot spawn agents. Ask an admin for a token.</Notice>
      )}
    </div>
  )
}

/** A new form per parent or original: nothing typed is carried over. */
function ChosenBoard({ choice }: { readonly choice: SpawnChoice }) {
  switch (choice.type) {
    case 'unreadable':
      return <Notice tone="error">{choice.problem}</Notice>
    case 'copy':
      return <CopyBoard key={`copy ${choice.name}`} original={choice.address} />
    case 'child':
      return <SpawnBoard key={choice.name} parent={choice.address} parentName={choice.name} />
    case 'new':
      return <SpawnBoard key="" parent={undefined} parentName={undefined} />
  }
}

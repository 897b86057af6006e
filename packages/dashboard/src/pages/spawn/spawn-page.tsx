import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { canDrive, useIdentity } from '../../session/identity.ts'
import { PageHeader } from '../../ui/card.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SpawnBoard } from './spawn-board.tsx'
import { readParent } from './spawn-search.ts'

export function SpawnPage() {
  const identity = useIdentity()
  const search = useSearch({ from: '/shell/spawn' })
  const choice = useMemo(() => readParent(search), [search])
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-5 p-4 lg:p-6">
      <PageHeader
        title={choice.type === 'parent' ? 'Spawn a child' : 'Spawn an agent'}
        description={
          choice.type === 'parent'
            ? `Under ${choice.name}. It reports to its parent when it ends.`
            : 'Say what is to be done; everything else has a default.'
        }
      />
      {!canDrive(identity) ? (
        <Notice>
          Your role, {identity.role}, may look at agents but not spawn them. Ask an admin for a token.
        </Notice>
      ) : choice.type === 'unreadable' ? (
        <Notice tone="error">{choice.problem}</Notice>
      ) : (
        <SpawnBoard
          key={choice.type === 'parent' ? choice.name : ''}
          parent={choice.type === 'parent' ? choice.address : undefined}
          parentName={choice.type === 'parent' ? choice.name : undefined}
        />
      )}
    </div>
  )
}

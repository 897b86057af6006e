import type { Resource } from '@skein/client'
import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { canWriteCatalog, useIdentity } from '../../session/identity.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { LocalTabs } from '../../ui/tabs.tsx'
import { DeleteDialog } from './dialogs/delete-dialog.tsx'
import { isTouched } from './editor/draft.ts'
import { HistoryTab } from './history/history-tab.tsx'
import { LeaveGuard } from './editor/leave-guard.tsx'
import { ResourceEditor } from './editor/resource-editor.tsx'
import { ResourceFacts } from './resource-facts.tsx'
import type { EditedKind } from '../../catalog/resource-text.ts'
import { useResourceDraft } from './editor/use-resource-draft.ts'

/** One resource: document, history and actions. */
export function ResourceBoard({
  kind,
  name,
  resource,
}: {
  readonly kind: EditedKind
  readonly name: string
  readonly resource: Resource | null
}) {
  const navigate = useNavigate()
  const canWrite = canWriteCatalog(useIdentity())
  // Kept here, so that looking at the history doesn't discard changes.
  const work = useResourceDraft(kind, name, resource)
  const [isDeleting, setIsDeleting] = useState(false)
  if (resource === null && !canWrite)
    return <EmptyState title={`No ${kind.kind} named ${name}`}>It may have been deleted.</EmptyState>
  return (
    <>
      <PageHeader
        title={name}
        description={<ResourceFacts kind={kind.kind} resource={resource} />}
        actions={
          canWrite &&
          resource !== null &&
          !resource.isBuiltIn && (
            <Button look="danger" onClick={() => setIsDeleting(true)}>
              <Trash2 size={16} aria-hidden /> Delete
            </Button>
          )
        }
      />
      <LocalTabs
        label="Parts of the resource"
        tabs={[
          {
            id: 'document',
            label: 'Document',
            content: (
              <ResourceEditor kind={kind} name={name} resource={resource} work={work} canWrite={canWrite} />
            ),
          },
          {
            id: 'history',
            label: 'History',
            content: <HistoryTab kind={kind} name={name} resource={resource} canWrite={canWrite} />,
          },
        ]}
      />
      <LeaveGuard isTouched={isTouched(work.draft)} />
      {resource !== null && (
        <DeleteDialog
          resource={resource}
          isOpen={isDeleting}
          onClose={() => setIsDeleting(false)}
          onDeleted={() =>
            void navigate({ to: '/catalog/$kind', params: { kind: kind.kind }, ignoreBlocker: true })
          }
        />
      )}
    </>
  )
}

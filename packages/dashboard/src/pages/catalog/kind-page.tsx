import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { LoadState } from '../../layout/page.tsx'
import { canWriteCatalog, useIdentity } from '../../session/identity.ts'
import { Button } from '../../ui/button.tsx'
import { Card, PageHeader } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { kindsQuery, resourcesQuery } from '../../catalog/catalog-queries.ts'
import { CreateResourceDialog } from './dialogs/create-resource-dialog.tsx'
import { Crumbs } from './crumbs.tsx'
import { filterResources } from './filter-resources.ts'
import { ResourceTable } from './resource-table.tsx'

/** All resources of one kind. */
export function KindPage() {
  const { kind } = useParams({ from: '/shell/catalog/$kind' })
  const canWrite = canWriteCatalog(useIdentity())
  const { data: kinds, error: kindsError } = useQuery(kindsQuery)
  const { data: resources, error: resourcesError } = useQuery(resourcesQuery(kind))
  const [text, setText] = useState('')
  const [isCreating, setIsCreating] = useState(false)
  const error = kindsError ?? resourcesError
  const shown = filterResources(resources ?? [], text)
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-4 p-4 lg:p-6">
      <Crumbs />
      <PageHeader
        title={kind}
        description={
          <>
            {kinds?.find((description) => description.kind === kind)?.summary}{' '}
            {kind === 'token' && canWrite && (
              <Link to="/tokens" className="text-accent-text hover:underline">
                Create and revoke keys on the Tokens page.
              </Link>
            )}
          </>
        }
        actions={
          canWrite && (
            <Button look="primary" onClick={() => setIsCreating(true)}>
              <Plus size={16} aria-hidden /> New {kind}
            </Button>
          )
        }
      />
      <LoadState data={resources} error={error} />
      {resources !== undefined && (
        <Card>
          <div className="border-b border-line p-3">
            <TextField
              label="Filter by name or description"
              isLabelHidden
              type="search"
              placeholder="Filter by name or description"
              className="max-w-sm"
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          </div>
          {shown.length > 0 ? (
            <ResourceTable key={text} kind={kind} resources={shown} />
          ) : (
            <EmptyState title={resources.length === 0 ? `No ${kind} yet` : 'Nothing matches'}>
              {resources.length > 0
                ? 'Try a shorter search.'
                : canWrite
                  ? 'Create the first one with the button above.'
                  : 'Admins can create one.'}
            </EmptyState>
          )}
        </Card>
      )}
      <CreateResourceDialog
        kind={kind}
        taken={resources ?? []}
        isOpen={isCreating}
        onClose={() => setIsCreating(false)}
      />
    </div>
  )
}

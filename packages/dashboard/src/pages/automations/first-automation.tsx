import { Link } from '@tanstack/react-router'
import { canWriteCatalog, useIdentity } from '../../session/identity.ts'
import { CodeBlock } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import type { FirstDocument } from './first-documents.ts'

/** How to create the first one. */
export function FirstAutomation({ first }: { readonly first: FirstDocument }) {
  const canWrite = canWriteCatalog(useIdentity())
  return (
    <EmptyState title={first.title}>
      <p>{first.purpose}</p>
      {canWrite ? (
        <div className="mt-3 flex flex-col gap-3 text-left">
          <CodeBlock label={`Save as ${first.file}`} text={first.document} />
          <CodeBlock label="Then" text={`skein apply -f ${first.file}`} />
          <p className="text-center">
            Or{' '}
            <Link
              to="/catalog/$kind"
              params={{ kind: first.kind }}
              className="text-accent-text hover:underline"
            >
              create it in the catalog
            </Link>
            .
          </p>
        </div>
      ) : (
        <p>Admins can create one.</p>
      )}
    </EmptyState>
  )
}

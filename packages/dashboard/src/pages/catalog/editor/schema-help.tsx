import { useMemo } from 'react'
import { listSchemaFields } from './schema-fields.ts'
import type { SchemaNode } from '../../../catalog/schema-node.ts'

/** The fields of a kind, to look up while writing. */
export function SchemaHelp({ schema }: { readonly schema: SchemaNode }) {
  const fields = useMemo(() => listSchemaFields(schema), [schema])
  return (
    <dl className="flex flex-col divide-y divide-line">
      {fields.map(({ path, type, defaultText, isRequired, description, note }) => (
        <div key={path} className="px-4 py-2.5">
          <dt className="flex flex-wrap items-baseline gap-x-2">
            <code className="text-sm font-semibold break-all">{path}</code>
            {isRequired && <span className="text-xs font-medium text-waiting">required</span>}
          </dt>
          <dd className="mt-0.5 text-xs text-muted">
            <p className="break-words">
              <code>{type}</code>
              {defaultText !== '' && (
                <>
                  {' '}
                  · default <code>{defaultText}</code>
                </>
              )}
            </p>
            <p className="mt-0.5 text-ink">
              {description} {note}
            </p>
          </dd>
        </div>
      ))}
    </dl>
  )
}

import type { AuditEntry } from '@skein/client'
import { Link } from '@tanstack/react-router'
import { Ago } from '../../ui/time.tsx'
import { describeDetails, describeOperation } from './describe-operation.ts'
import { STACKED_ROW, StackedTable } from '../../ui/stacked-table.tsx'

const COLUMNS = ['When', 'Who', 'What', 'Why', 'Request'].map((title) => ({ title }))

export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <StackedTable label="Changes" columns={COLUMNS}>
      {entries.map((entry) => (
        <AuditRow key={entry.id} entry={entry} />
      ))}
    </StackedTable>
  )
}

function AuditRow({ entry }: { readonly entry: AuditEntry }) {
  const { time, account, role, token, operation, justification, requestId } = entry
  return (
    <tr className={`align-top ${STACKED_ROW}`}>
      <td className="px-4 py-2.5 whitespace-nowrap text-muted">
        <Ago time={time} />
      </td>
      <td className="px-4 py-2.5 md:max-w-48">
        <span className="block truncate font-medium" title={account}>
          {account}
        </span>
        <span className="block truncate text-xs text-muted" title={token}>
          {role} · token {token}
        </span>
      </td>
      <td className="px-4 py-2.5 max-md:w-full md:min-w-48">
        {describeOperation(operation)} <Subject entry={entry} />
        <span className="block text-xs text-muted">{describeDetails(entry)}</span>
      </td>
      <td
        className={`px-4 py-2.5 break-words md:min-w-32 ${justification === '' ? 'max-md:hidden' : 'max-md:w-full'}`}
      >
        {justification === '' ? <span className="text-muted">–</span> : justification}
      </td>
      <td className="px-4 py-2.5">
        <code className="block truncate text-xs text-muted md:w-24" title={requestId}>
          {requestId}
        </code>
      </td>
    </tr>
  )
}

/** Agents and sessions are not resources, so they have no catalog page. */
const WITHOUT_PAGE = new Set(['agent', 'session', ''])

function Subject({ entry: { kind, name } }: { readonly entry: AuditEntry }) {
  const text = name === '' ? kind : `${kind}/${name}`
  if (WITHOUT_PAGE.has(kind) || name === '' || name === '*') return <span className="break-all">{text}</span>
  return (
    <Link
      to="/catalog/$kind/$name"
      params={{ kind, name }}
      className="break-all text-accent-text hover:underline"
    >
      {text}
    </Link>
  )
}

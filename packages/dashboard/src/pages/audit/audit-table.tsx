import type { AuditEntry } from '@skein/client'
import { Link } from '@tanstack/react-router'
import { Ago } from '../../ui/time.tsx'
import { describeDetails, describeOperation } from './describe-operation.ts'
import { STACKED_ROW, STACKED_TABLE } from '../../ui/stacked-table.ts'

export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <div tabIndex={0} role="group" aria-label="Changes" className="relative overflow-x-auto">
      <table className={STACKED_TABLE}>
        <thead className="text-xs text-muted">
          <tr className="border-b border-line">
            <th className="px-4 py-2 font-medium">When</th>
            <th className="px-4 py-2 font-medium">Who</th>
            <th className="px-4 py-2 font-medium">What</th>
            <th className="px-4 py-2 font-medium">Why</th>
            <th className="px-4 py-2 font-medium">Request</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {entries.map((entry) => (
            <AuditRow key={entry.id} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
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

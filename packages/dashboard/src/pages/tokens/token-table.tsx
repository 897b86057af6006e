import { Ban, Check, Clock } from 'lucide-react'
import { Link } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Ago, useNow } from '../../ui/time.tsx'
import { ACTIONS, STACKED_ROW, StackedTable } from '../../ui/stacked-table.tsx'
import { tokenState, type TokenFacts } from './token-facts.ts'

const STATES = {
  works: { label: 'Active', icon: Check, look: 'text-completed' },
  expired: { label: 'Expired', icon: Clock, look: 'text-waiting' },
  revoked: { label: 'Revoked', icon: Ban, look: 'text-failed' },
} as const

const COLUMNS = ['Name', 'Role', 'Account', 'Expires', 'State'].map((title) => ({ title }))

export function TokenTable({
  tokens,
  canWrite,
  onRotate,
  onRevoke,
}: {
  readonly tokens: readonly TokenFacts[]
  readonly canWrite: boolean
  readonly onRotate: (token: TokenFacts) => void
  readonly onRevoke: (token: TokenFacts) => void
}) {
  return (
    <StackedTable label="Tokens" columns={canWrite ? [...COLUMNS, ACTIONS] : COLUMNS}>
      {tokens.map((token) => (
        <tr key={token.name} className={STACKED_ROW}>
          <th scope="row" className="px-4 py-2.5 font-medium max-md:w-full md:max-w-56">
            <Link
              to="/catalog/$kind/$name"
              params={{ kind: 'token', name: token.name }}
              title={token.name}
              className="block truncate text-accent-text hover:underline"
            >
              {token.name}
            </Link>
            <span className="block truncate text-xs font-normal text-muted" title={token.description}>
              {token.description}
            </span>
          </th>
          <td className="px-4 py-2.5">
            {token.role}
            {token.pools.length > 0 && <span className="text-muted"> for {token.pools.join(', ')}</span>}
          </td>
          <td className="max-w-48 truncate px-4 py-2.5" title={token.account}>
            {token.account}
          </td>
          <td className="px-4 py-2.5 whitespace-nowrap">
            <span className="text-muted md:hidden">expires </span>
            {token.expireTime === '' ? 'never' : <Ago time={token.expireTime} />}
          </td>
          <td className="px-4 py-2.5">
            <State token={token} />
          </td>
          {canWrite && (
            <td className="px-4 py-2.5 text-right max-md:ml-auto">
              {!token.isRevoked && (
                <div className="flex justify-end gap-2">
                  <Button size="small" onClick={() => onRotate(token)}>
                    Rotate<span className="sr-only"> {token.name}</span>
                  </Button>
                  <Button size="small" look="danger" onClick={() => onRevoke(token)}>
                    Revoke<span className="sr-only"> {token.name}</span>
                  </Button>
                </div>
              )}
            </td>
          )}
        </tr>
      ))}
    </StackedTable>
  )
}

function State({ token }: { readonly token: TokenFacts }) {
  const { label, icon: Icon, look } = STATES[tokenState(token, useNow())]
  return (
    <span className={classNames('inline-flex items-center gap-1 font-medium whitespace-nowrap', look)}>
      <Icon size={14} aria-hidden />
      {label}
    </span>
  )
}

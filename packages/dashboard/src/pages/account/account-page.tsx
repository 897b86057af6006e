import { queryOptions, useQuery } from '@tanstack/react-query'
import { LoadState, Page } from '../../layout/page.tsx'
import { useIdentity } from '../../session/identity.ts'
import { skein } from '../../session/skein.ts'
import { Card } from '../../ui/card.tsx'
import { Fact } from '../../ui/fact.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { LinkButtons } from './link-buttons.tsx'
import { LinkRow } from './link-row.tsx'

const linksQuery = queryOptions({
  queryKey: ['linked-accounts'],
  queryFn: ({ signal }) => skein.linkedAccounts({ signal }),
})

/** Who the person is, which accounts are theirs, and where they are signed in. */
export function AccountPage() {
  const { account, tenant, role, token } = useIdentity()
  const { data, error, refetch } = useQuery(linksQuery)
  return (
    <Page title="Account" description="Who you are to Skein, and where you are signed in." width="max-w-3xl">
      <Card>
        <dl className="grid grid-cols-2 gap-4 px-4 py-3 text-sm sm:grid-cols-4">
          <Fact name="Account">{account}</Fact>
          <Fact name="Organization">{tenant.org}</Fact>
          <Fact name="Role">{role}</Fact>
          <Fact name="Signed in with">{token.replace(/^identity-provider\//, '')}</Fact>
        </dl>
      </Card>
      <LoadState data={data} error={error} />
      {data !== undefined && (
        <Card title="Linked accounts">
          {data.links.length > 0 && (
            <ul className="divide-y divide-line">
              {data.links.map((link) => (
                <LinkRow key={link.identityProvider} link={link} onUnlink={() => void refetch()} />
              ))}
            </ul>
          )}
          <div className="flex flex-col gap-3 border-line px-4 py-3 text-sm text-muted not-first:border-t">
            <p>{explain(data, token)}</p>
            <LinkButtons providers={data.providers} />
          </div>
        </Card>
      )}
      <SessionsCard title="Sessions" />
    </Page>
  )
}

function explain(
  { links, providers }: { readonly links: readonly unknown[]; readonly providers: readonly unknown[] },
  token: string,
): string {
  if (providers.length > 0) {
    return 'Link your account of another provider by signing in with it. Each account keeps its own role, agents and sessions. Pull requests of your agents can then be opened as your code host account, and if one of your accounts is deactivated, all of them are.'
  }
  if (!token.startsWith('identity-provider/')) {
    return 'You signed in with a key. To link accounts, sign in with your organization’s identity provider.'
  }
  return links.length > 0
    ? 'There is no other provider of your organization to link.'
    : 'Your organization has no other provider to link an account of.'
}

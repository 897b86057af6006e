import { must } from '../../agents/agent-world.ts'
import type { TestedSource } from './every-source.ts'
import { FakeCodeHost, type HostType } from './fake-code-host.ts'
import { PUBLIC_URL, type ProviderWorld } from './provider-world.ts'

/** A code host in the catalog, as the tenant has one for its pull requests. */
export async function describeHost(
  world: ProviderWorld,
  host: { type: HostType; url: string },
): Promise<void> {
  must(await world.tenant.admin.write('secret', 'host-credential', { value: 'unused' }))
  const document = { type: host.type, url: host.url, credential: 'host-credential' }
  const appId = host.type === 'github' ? { appId: '1' } : {}
  must(await world.tenant.admin.write('code-host', 'host', { ...document, ...appId }))
}

/** Goes where the code host sends a browser. */
export async function visitFake(url: URL, who: string): Promise<string> {
  url.searchParams.set('login_hint', who)
  const response = await fetch(url, { redirect: 'manual' })
  const back = new URL(response.headers.get('location') ?? '')
  if (back.origin !== PUBLIC_URL) throw new Error(`Sent to ${back.href}`)
  return back.pathname + back.search
}

export async function startFakeHost(
  world: ProviderWorld,
  type: HostType,
): Promise<{ readonly host: FakeCodeHost; readonly source: TestedSource }> {
  const host = await FakeCodeHost.start(type, {
    adele: { id: 7, login: 'Adele', groups: ['Acme', 'Acme:Admins'] },
    bob: { id: 8, login: 'bob', groups: ['acme', 'other'] },
  })
  await describeHost(world, host)
  return { host, source: fakeSource(host) }
}

function fakeSource(host: FakeCodeHost): TestedSource {
  const change = (who: string, fields: object) => {
    const user = host.users[who]
    if (user) host.users[who] = { ...user, ...fields }
  }
  return {
    ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
    accounts: { adele: 'adele', bob: 'bob' },
    document: (fields) => ({ codeHost: 'host', organizations: ['Acme'], ...fields }),
    visit: visitFake,
    setGroups: async (who, groups) => change(who, { groups }),
    rename: async (who) => change(who, { login: `${who}-the-great` }),
  }
}

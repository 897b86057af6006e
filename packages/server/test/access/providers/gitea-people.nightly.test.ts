import { afterAll, beforeAll, describe } from 'vitest'
import { must } from '../../agents/agent-world.ts'
import { GITEA_DIR, startGitea, type Gitea } from '../../code-hosts/gitea-process.ts'
import { describeHost } from './code-host-source.ts'
import { testEverySource, type TestedSource } from './every-source.ts'
import { ProviderWorld, PUBLIC_URL } from './provider-world.ts'
import { visitPages } from './visit-pages.ts'

/** A real Gitea, if e2e/gitea/get-gitea.sh has built one into SKEIN_GITEA_DIR. */
describe.skipIf(GITEA_DIR === undefined)('with a real Gitea', () => {
  let world: ProviderWorld
  let gitea: Gitea
  let source: TestedSource

  beforeAll(async () => {
    world = await ProviderWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '0' })
    gitea = await startGitea(GITEA_DIR ?? '')
    source = await prepare(world, gitea)
  })

  afterAll(async () => {
    await gitea.close()
    await world.close()
  })

  testEverySource(() => ({ world, source }))
})

async function prepare(world: ProviderWorld, gitea: Gitea): Promise<TestedSource> {
  await gitea.send('POST', '/orgs', { username: 'acme' })
  const createTeam = async (name: string) => {
    const team = { name, permission: 'write', units: ['repo.code'] }
    return ((await gitea.send('POST', '/orgs/acme/teams', team)) as { id: number }).id
  }
  const [staff, admins] = [await createTeam('staff'), await createTeam('admins')]
  const setGroups: TestedSource['setGroups'] = async (who, groups) => {
    for (const [team, group] of [
      [staff, 'acme'],
      [admins, 'acme:admins'],
    ] as const) {
      const method = groups.includes(group) ? 'PUT' : 'DELETE'
      await gitea.send(method, `/teams/${team}/members/${who}`)
    }
  }
  await gitea.createUser('adele')
  await gitea.createUser('bob')
  await setGroups('adele', ['acme', 'acme:admins'])
  await setGroups('bob', ['acme'])
  const client = (await gitea.send('POST', '/user/applications/oauth2', {
    name: 'skein',
    redirect_uris: ['first', 'second'].map((name) => PUBLIC_URL + world.callback(name)),
    confidential_client: true,
  })) as { client_id: string; client_secret: string }
  await describeHost(world, { type: 'gitea', url: gitea.url })
  must(await world.tenant.admin.write('secret', 'gitea-client', { value: client.client_secret }))
  return {
    ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
    accounts: { adele: 'adele', bob: 'bob' },
    document: (fields) => ({
      codeHost: 'host',
      organizations: ['acme'],
      clientId: client.client_id,
      clientSecret: 'gitea-client',
      ...fields,
    }),
    visit: (url, who) => visitPages(url, { user_name: who, password: `${who}-password` }),
    setGroups,
  }
}

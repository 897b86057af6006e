import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { waitFor } from '@skein/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must } from '../../agents/agent-world.ts'
import { testEverySource, type TestedSource } from './every-source.ts'
import { KEYCLOAK_DIR, startKeycloak, type Keycloak } from './keycloak-process.ts'
import { cookiePair, ProviderWorld, PUBLIC_URL } from './provider-world.ts'
import { visitPages } from './visit-pages.ts'

const LOGOUT_PATH = '/v1/session/logout/codehost_app:acme/third'

/** A real Keycloak, if e2e/keycloak/get-keycloak.sh has put one into SKEIN_KEYCLOAK_DIR. */
describe.skipIf(KEYCLOAK_DIR === undefined)('with a real Keycloak', () => {
  let world: ProviderWorld
  let keycloak: Keycloak
  let source: TestedSource
  let callbacks: Awaited<ReturnType<typeof passLogoutsOn>>

  beforeAll(async () => {
    world = await ProviderWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '0' })
    keycloak = await startKeycloak(KEYCLOAK_DIR ?? '')
    callbacks = await passLogoutsOn(world)
    source = await prepare(world, keycloak, callbacks.url)
    // Its very first start takes minutes.
  }, 600_000)

  afterAll(async () => {
    await callbacks.close()
    await keycloak.close()
    await world.close()
  })

  testEverySource(() => ({ world, source }))

  async function signIn(who: 'adele' | 'bob'): Promise<string> {
    const { url, cookie } = await world.start('third')
    return cookiePair(must(await world.finish(await source.visit(url, who), cookie)), 'skein')
  }

  const isOpen = async (cookie: string) => (await world.whoami(cookie)).status === 200

  test('signing out there signs out here, and nobody else', async () => {
    await world.provide('third', source.document())
    const [adele, bob] = [await signIn('adele'), await signIn('bob')]
    await keycloak.send('POST', `/acme/users/${await userId(keycloak, 'adele')}/logout`)
    await waitFor(async () => !(await isOpen(adele)), { what: 'Keycloak’s sign-out', timeoutMs: 30_000 })
    expect(await isOpen(bob)).toBe(true)
  })

  test('new keys of the provider work at once, and people stay signed in', async () => {
    const before = await signIn('bob')
    const { id } = (await keycloak.send('GET', '/acme')) as { id: string }
    await keycloak.send('POST', '/acme/components', {
      name: 'newer',
      providerId: 'rsa-generated',
      providerType: 'org.keycloak.keys.KeyProvider',
      parentId: id,
      config: {
        priority: ['200'],
        enabled: ['true'],
        active: ['true'],
        algorithm: ['RS256'],
        keySize: ['2048'],
      },
    })
    expect(await isOpen(await signIn('bob'))).toBe(true)
    expect(await isOpen(before)).toBe(true)
  })
})

async function userId(keycloak: Keycloak, who: string): Promise<string> {
  const [user] = (await keycloak.send('GET', `/acme/users?username=${who}&exact=true`)) as { id: string }[]
  return user?.id ?? ''
}

/** The test's server has no port, so this takes what Keycloak sends. */
async function passLogoutsOn(world: ProviderWorld) {
  const server = createServer((request, response) => {
    void (async () => {
      const { status } = await world.server.anonymous.post(LOGOUT_PATH, await text(request), {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
      response.writeHead(status).end()
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

const user = (name: string, lastName: string) => ({
  username: name,
  enabled: true,
  email: `${name}@acme.example.com`,
  emailVerified: true,
  firstName: name,
  lastName,
  credentials: [{ type: 'password', value: `${name}-password`, temporary: false }],
})

async function prepare(world: ProviderWorld, keycloak: Keycloak, logoutUrl: string): Promise<TestedSource> {
  await keycloak.send('POST', '', {
    realm: 'acme',
    enabled: true,
    sslRequired: 'none',
    groups: [{ name: 'acme' }, { name: 'acme:admins' }],
    users: [user('adele', 'Vance'), user('bob', 'Brown')],
    clients: [
      {
        clientId: 'skein',
        secret: 's3cret',
        standardFlowEnabled: true,
        redirectUris: ['first', 'second', 'third'].map((name) => PUBLIC_URL + world.callback(name)),
        attributes: {
          'pkce.code.challenge.method': 'S256',
          'backchannel.logout.url': logoutUrl,
          'backchannel.logout.session.required': 'true',
        },
        protocolMappers: [
          {
            name: 'groups',
            protocol: 'openid-connect',
            protocolMapper: 'oidc-group-membership-mapper',
            config: { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true' },
          },
        ],
      },
    ],
  })
  const groups = (await keycloak.send('GET', '/acme/groups')) as { id: string; name: string }[]
  const setGroups: TestedSource['setGroups'] = async (who, wanted) => {
    const id = await userId(keycloak, who)
    for (const group of groups) {
      const method = wanted.includes(group.name) ? 'PUT' : 'DELETE'
      await keycloak.send(method, `/acme/users/${id}/groups/${group.id}`)
    }
  }
  await setGroups('adele', ['acme', 'acme:admins'])
  await setGroups('bob', ['acme'])
  return {
    ownerProvider: 'PROVIDER_IDP_OIDC',
    accounts: { adele: 'adele@acme.example.com', bob: 'bob@acme.example.com' },
    document: (fields) => ({ issuer: `${keycloak.url}/realms/acme`, scopes: ['email'], ...fields }),
    visit: (url, who) => visitPages(url, { username: who, password: `${who}-password` }),
    setGroups,
    rename: async (who) => {
      const changed = { ...user(who, 'Brown'), email: `${who}-the-great@acme.example.com` }
      await keycloak.send('PUT', `/acme/users/${await userId(keycloak, who)}`, changed)
    },
  }
}

import { afterAll, beforeAll, describe } from 'vitest'
import { startCertifiedIssuer, type CertifiedIssuer } from './certified-issuer.ts'
import { startFakeHost } from './code-host-source.ts'
import { testEverySource, type TestedSource } from './every-source.ts'
import type { FakeCodeHost } from './fake-code-host.ts'
import { ProviderWorld, PUBLIC_URL } from './provider-world.ts'
import { visitIssuer } from './visit-issuer.ts'

const settings = { SKEIN_SIGN_INS_PER_MINUTE: '0' }

const user = (name: string, groups: string[]) => ({
  email: `${name}@acme.example.com`,
  email_verified: true,
  groups,
})

describe('with an OpenID Connect provider', () => {
  let world: ProviderWorld
  let issuer: CertifiedIssuer
  let source: TestedSource

  beforeAll(async () => {
    world = await ProviderWorld.start(settings)
    const redirects = ['first', 'second'].map((name) => PUBLIC_URL + world.callback(name))
    issuer = await startCertifiedIssuer(
      { adele: user('adele', ['acme', 'acme:admins']), bob: user('bob', ['acme']) },
      [{ client_id: 'skein', client_secret: 's3cret', redirect_uris: redirects }],
    )
    source = {
      ownerProvider: 'PROVIDER_IDP_OIDC',
      accounts: { adele: 'adele@acme.example.com', bob: 'bob@acme.example.com' },
      document: (fields) => ({ issuer: issuer.issuer, scopes: ['email', 'groups'], ...fields }),
      visit: visitIssuer,
      setGroups: async (who, groups) => {
        issuer.users[who] = { ...issuer.users[who], groups: [...groups] }
      },
      rename: async (who) => {
        issuer.users[who] = { ...issuer.users[who], email: `${who}-the-great@acme.example.com` }
      },
    }
  })

  afterAll(async () => {
    await issuer.close()
    await world.close()
  })

  testEverySource(() => ({ world, source }))
})

describe.each(['gitea', 'github'] as const)('with a code host: %s', (type) => {
  let world: ProviderWorld
  let host: FakeCodeHost
  let source: TestedSource

  beforeAll(async () => {
    world = await ProviderWorld.start(settings)
    ;({ host, source } = await startFakeHost(world, type))
  })

  afterAll(async () => {
    await host.close()
    await world.close()
  })

  testEverySource(() => ({ world, source }))
})

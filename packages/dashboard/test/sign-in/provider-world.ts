import {
  startCertifiedIssuer,
  type CertifiedIssuer,
} from '../../../server/test/access/providers/certified-issuer.ts'
import { DashboardWorld } from '../dashboard-world.ts'

/** What identity providers have in common: a client that the issuer, or a code host, knows. */
const CLIENT = { clientId: 'skein', clientSecret: 'client' }

/** A dashboard whose organization has its own issuer, where Grace signs in. */
export class ProviderWorld {
  readonly world: DashboardWorld
  readonly issuer: CertifiedIssuer
  readonly org: string

  private constructor(world: DashboardWorld, issuer: CertifiedIssuer, org: string) {
    this.world = world
    this.issuer = issuer
    this.org = org
  }

  /** The issuer sends people back to the identity providers with these names. */
  static async start(names: readonly string[]): Promise<ProviderWorld> {
    const world = await DashboardWorld.start({ SKEIN_OUTBOUND_ALLOW: '127.0.0.1' })
    const { tenant } = await world.skein.whoami()
    const provider = tenant.provider.replace('PROVIDER_', '').toLowerCase()
    const issuer = await startCertifiedIssuer(
      { grace: { email: 'grace@acme.example', email_verified: true, groups: ['staff'] } },
      [
        {
          client_id: CLIENT.clientId,
          client_secret: 's3cret',
          redirect_uris: names.map(
            (name) => `${world.baseUrl}/sign-in/callback/${provider}/${tenant.org}/${name}`,
          ),
        },
      ],
    )
    await world.skein.catalog.put('secret', CLIENT.clientSecret, { value: 's3cret' })
    return new ProviderWorld(world, issuer, tenant.org)
  }

  async provide(name: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
    await this.world.skein.catalog.put('identity-provider', name, {
      issuer: this.issuer.issuer,
      ...CLIENT,
      ...fields,
    })
  }

  /** People in the organization `acme` of this Gitea may sign in. */
  async provideGitea(url: string, fields: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const { catalog } = this.world.skein
    await catalog.put('code-host', 'gitea', { type: 'gitea', url, credential: CLIENT.clientSecret })
    await catalog.put('identity-provider', 'code', {
      title: 'Gitea',
      codeHost: 'gitea',
      organizations: ['acme'],
      defaultRole: 'member',
      ...CLIENT,
      ...fields,
    })
  }

  async stop(): Promise<void> {
    await this.issuer.close()
    await this.world.stop()
  }
}

import {
  PAGE_SECRET,
  startTestServer,
  type TestAnswer,
  type TestServer,
  type TestTenant,
} from '@skein/testkit'
import { must } from '../../agents/agent-world.ts'
import { SAME_ORIGIN } from '../../browser.ts'

export const PUBLIC_URL = 'http://127.0.0.1:8080'

interface Started {
  readonly url: URL
  /** The cookie that binds it to the browser. */
  readonly cookie: string
}

/** A server whose tenants have identity providers, and a browser that goes there and back. */
export class ProviderWorld {
  readonly server: TestServer
  readonly tenant: TestTenant

  private constructor(server: TestServer, tenant: TestTenant) {
    this.server = server
    this.tenant = tenant
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<ProviderWorld> {
    const server = await startTestServer({
      settings: { SKEIN_OUTBOUND_ALLOW: '127.0.0.1', SKEIN_PUBLIC_URL: PUBLIC_URL, ...settings },
    })
    return new ProviderWorld(server, await server.createTenant('acme'))
  }

  close(): Promise<void> {
    return this.server.close()
  }

  /** Writes an identity provider with everything that a test does not care about. */
  async provide(
    name: string,
    document: Readonly<Record<string, unknown>>,
    tenant = this.tenant,
  ): Promise<void> {
    must(await tenant.admin.write('secret', 'client-secret', { value: 's3cret' }))
    must(
      await tenant.admin.write('identity-provider', name, {
        title: 'Acme',
        clientId: 'skein',
        clientSecret: 'client-secret',
        defaultRole: 'member',
        ...document,
      }),
    )
  }

  callback(name: string, tenant = this.tenant): string {
    return `/sign-in/callback/codehost_app/${tenant.tenant.org}/${name}`
  }

  tryStart(name: string, { tenant } = this.tenant, pageSecret = PAGE_SECRET): Promise<TestAnswer> {
    return this.server.anonymous.post(
      '/v1/session/start',
      { tenant, name, pageSecret },
      { headers: SAME_ORIGIN },
    )
  }

  async start(name: string, tenant = this.tenant): Promise<Started> {
    const answer = must(await this.tryStart(name, tenant))
    return { url: new URL(String(answer.body['url'])), cookie: cookiePair(answer, 'skein-sign-in') }
  }

  finish(
    returnedTo: string,
    cookie: string | undefined,
    {
      pageSecret = PAGE_SECRET,
      headers = {},
    }: { pageSecret?: string; headers?: Record<string, string> } = {},
  ): Promise<TestAnswer> {
    return this.server.anonymous.post(
      '/v1/session/finish',
      { returnedTo, pageSecret },
      { headers: { ...SAME_ORIGIN, ...(cookie !== undefined && { cookie }), ...headers } },
    )
  }

  whoami(cookie: string): Promise<TestAnswer> {
    return this.server.anonymous.get('/v1/whoami', { headers: { cookie, ...SAME_ORIGIN } })
  }
}

/** `name=value` of one of the cookies that an answer sets. */
export function cookiePair({ headers }: TestAnswer, name: string): string {
  // Several are joined with commas, which none of ours contains.
  const set = (headers['set-cookie'] ?? '').split(',').filter((text) => text.startsWith(`${name}=`))
  return set.at(-1)?.split(';', 1)[0] ?? ''
}

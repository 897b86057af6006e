import type { TestAnswer, TestServer, TestTenant } from '@skein/testkit'
import { must } from '../../agents/agent-world.ts'
import { HostileIssuer } from '../providers/hostile-issuer.ts'
import { cookiePair, ProviderWorld } from '../providers/provider-world.ts'

export interface ScimAnswer {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly body: Record<string, unknown>
  /** Of a user or group. */
  readonly id: string
}

type Fields = Readonly<Record<string, unknown>>

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** A tenant whose identity provider has a directory, and what the provider sends. */
export class ScimWorld {
  readonly world: ProviderWorld
  readonly issuer: HostileIssuer
  readonly key: string

  private constructor(world: ProviderWorld, issuer: HostileIssuer, key: string) {
    this.world = world
    this.issuer = issuer
    this.key = key
  }

  static async start(provider: Fields = {}, directory: Fields = {}): Promise<ScimWorld> {
    const world = await ProviderWorld.start({ SKEIN_SIGN_INS_PER_MINUTE: '0' })
    const issuer = await HostileIssuer.start()
    await world.provide('sso', { issuer: issuer.issuer, ...provider })
    const { document } = must(await world.tenant.admin.write('directory', 'sso', directory))
    return new ScimWorld(world, issuer, String(document['key']))
  }

  get server(): TestServer {
    return this.world.server
  }

  get tenant(): TestTenant {
    return this.world.tenant
  }

  async close(): Promise<void> {
    await this.issuer.close()
    await this.world.close()
  }

  async send(method: string, path: string, body?: unknown, key = this.key): Promise<ScimAnswer> {
    const response = await this.server.app.inject({
      method: method as 'GET',
      url: `/v1/scim${path}`,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const parsed: Record<string, unknown> = response.body === '' ? {} : response.json()
    return {
      status: response.statusCode,
      type: String(response.headers['content-type']),
      text: response.body,
      body: parsed,
      id: String(parsed['id']),
    }
  }

  find(resource: string, filter: string): Promise<ScimAnswer> {
    return this.send('GET', `/${resource}?filter=${encodeURIComponent(filter)}`)
  }

  patch(path: string, ...operations: object[]): Promise<ScimAnswer> {
    return this.send('PATCH', path, { schemas: [PATCH_SCHEMA], Operations: operations })
  }

  /** A user with this subject at the provider. */
  async user(subject: string, fields: Fields = {}): Promise<string> {
    const { id } = ok(
      await this.send('POST', '/Users', {
        userName: `${subject}@acme.example.com`,
        externalId: subject,
        active: true,
        ...fields,
      }),
    )
    return id
  }

  async group(displayName: string, ...members: string[]): Promise<string> {
    const body = { displayName, members: members.map((value) => ({ value })) }
    return ok(await this.send('POST', '/Groups', body)).id
  }

  async tryToSignIn(subject: string, claims: Fields = {}): Promise<TestAnswer> {
    this.issuer.subject = subject
    this.issuer.forge = (right) => ({ ...right, ...claims })
    const { url, cookie } = await this.world.start('sso')
    this.issuer.nonce = url.searchParams.get('nonce') ?? ''
    const query = new URLSearchParams({ code: 'c0de', state: url.searchParams.get('state') ?? '' })
    return this.world.finish(`${this.world.callback('sso')}?${query}`, cookie)
  }

  /** The cookie of a session. */
  async signIn(subject: string, claims: Fields = {}): Promise<string> {
    return cookiePair(must(await this.tryToSignIn(subject, claims)), 'skein')
  }

  async statusOf(cookie: string): Promise<number> {
    return (await this.world.whoami(cookie)).status
  }

  async roleOf(cookie: string): Promise<unknown> {
    return must(await this.world.whoami(cookie)).body['role']
  }

  async statusOfKey(key: string): Promise<number> {
    return (await this.tenant.client(key).get('/v1/whoami')).status
  }
}

export function ok(answer: ScimAnswer): ScimAnswer {
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`)
  return answer
}

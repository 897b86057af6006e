import { createHash } from 'node:crypto'
import { startTestServer, TestClock, type TestAnswer, type TestServer, type TestTenant } from '@skein/testkit'
import { must } from '../../agents/agent-world.ts'
import { cookieFor, SAME_ORIGIN } from '../../browser.ts'

const VERIFIER = 'verifier-0123456789-0123456789-0123456789-012'

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

interface Keys {
  readonly apiKey: string
  readonly renewalKey: string
}

interface Started {
  readonly loginId: string
  readonly userCode: string
}

/** A command line, and the browser of a person who decides about it. */
export class LoginWorld {
  readonly clock: TestClock
  readonly server: TestServer
  readonly tenant: TestTenant
  /** Of ada, an admin. */
  readonly cookie: string

  private constructor(clock: TestClock, server: TestServer, tenant: TestTenant, cookie: string) {
    this.clock = clock
    this.server = server
    this.tenant = tenant
    this.cookie = cookie
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<LoginWorld> {
    const clock = new TestClock(Date.now())
    const server = await startTestServer({ clock, settings })
    const tenant = await server.createTenant('acme')
    return new LoginWorld(clock, server, tenant, await cookieFor(server, tenant.admin))
  }

  close(): Promise<void> {
    return this.server.close()
  }

  tryStart(fields: Readonly<Record<string, unknown>> = {}): Promise<TestAnswer> {
    return this.server.anonymous.post('/v1/login/start', { codeChallenge: challengeOf(VERIFIER), ...fields })
  }

  async start(fields: Readonly<Record<string, unknown>> = {}): Promise<Started> {
    const { body } = must(await this.tryStart(fields))
    return { loginId: String(body['loginId']), userCode: String(body['userCode']) }
  }

  /** As a page of the dashboard sends it. */
  asPage(
    path: string,
    body: unknown,
    cookie = this.cookie,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestAnswer> {
    return this.server.anonymous.post(path, body, { headers: { ...SAME_ORIGIN, cookie, ...headers } })
  }

  decide(wanted: object, isAllowed = true, cookie = this.cookie): Promise<TestAnswer> {
    return this.asPage('/v1/login/decide', { ...wanted, isAllowed }, cookie)
  }

  finish(loginId: string, fields: Readonly<Record<string, unknown>> = {}): Promise<TestAnswer> {
    return this.server.anonymous.post('/v1/login/finish', { loginId, codeVerifier: VERIFIER, ...fields })
  }

  /** From start to end, with a code that the person types. */
  async signIn(cookie = this.cookie, fields: Readonly<Record<string, unknown>> = {}): Promise<Keys> {
    const { loginId, userCode } = await this.start(fields)
    must(await this.decide({ userCode }, true, cookie))
    return keysOf(must(await this.finish(loginId)))
  }

  renew(renewalKey: string): Promise<TestAnswer> {
    return this.server.anonymous.post('/v1/session/renew', { renewalKey })
  }

  whoami(key: string): Promise<TestAnswer> {
    return this.tenant.client(key).get('/v1/whoami')
  }
}

export function keysOf({ body }: TestAnswer): Keys {
  return { apiKey: String(body['apiKey']), renewalKey: String(body['renewalKey']) }
}

/** What a browser was sent to. */
export function redirectOf({ body }: TestAnswer): URL {
  return new URL(String(body['redirectUrl']))
}

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose'

interface SigningKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKey: JWK
}

/** An issuer that answers whatever a test wants. Its tokens are right until the test says otherwise. */
export class HostileIssuer {
  readonly issuer: string
  readonly clientId = 'skein'
  /** Changes what it describes itself as. */
  describe: (metadata: Record<string, unknown>) => Record<string, unknown> = (metadata) => metadata
  /** Changes the claims of the next tokens, or returns a whole token. */
  forge: (claims: JWTPayload) => JWTPayload | string = (claims) => claims
  /** What it answers to the code, instead of tokens. */
  answer: { readonly status: number; readonly body: unknown } | undefined
  /** What happens while it is asked for tokens. */
  meanwhile: () => Promise<unknown> = async () => {}
  /** The forms that came to its token endpoint. */
  readonly asked: URLSearchParams[] = []
  /** How often each path was requested. */
  readonly requests: string[] = []
  nonce = ''
  subject = 'subject-1'
  keys: SigningKey[] = []
  readonly #stop: () => Promise<void>

  private constructor(issuer: string, stop: () => Promise<void>) {
    this.issuer = issuer
    this.#stop = stop
  }

  static async start(): Promise<HostileIssuer> {
    const server = createServer((request, response) => {
      void world.#respond(request).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const world: HostileIssuer = new HostileIssuer(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    )
    await world.rotate('first')
    return world
  }

  close(): Promise<void> {
    return this.#stop()
  }

  /** From now on it signs with a new key, and forgets the old ones. */
  async rotate(kid: string): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }
    this.keys = [{ kid, privateKey, publicKey: jwk }]
  }

  reset(): void {
    this.describe = (metadata) => metadata
    this.forge = (claims) => claims
    this.answer = undefined
    this.meanwhile = async () => {}
    this.subject = 'subject-1'
    this.asked.length = 0
    this.requests.length = 0
  }

  /** Signs claims as its own. */
  sign(claims: JWTPayload, header: Readonly<Record<string, string>> = {}): Promise<string> {
    const [key] = this.keys
    if (!key) throw new Error('No key')
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header })
      .sign(key.privateKey)
  }

  async #respond(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const path = request.url?.split('?', 1)[0] ?? ''
    this.requests.push(path)
    if (path === '/.well-known/openid-configuration') return ok(this.describe(this.#metadata()))
    if (path === '/jwks') return ok({ keys: this.keys.map(({ publicKey }) => publicKey) })
    if (path !== '/token') return { status: 404, body: {} }
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    this.asked.push(new URLSearchParams(Buffer.concat(chunks).toString('utf8')))
    await this.meanwhile()
    if (this.answer) return this.answer
    const forged = this.forge(this.#claims())
    const idToken = typeof forged === 'string' ? forged : await this.sign(forged)
    return ok({ access_token: 'opaque', token_type: 'Bearer', expires_in: 60, id_token: idToken })
  }

  #claims(): JWTPayload {
    const now = Math.floor(Date.now() / 1000)
    return {
      iss: this.issuer,
      aud: this.clientId,
      sub: this.subject,
      nonce: this.nonce,
      iat: now,
      exp: now + 60,
      email: `${this.subject}@acme.example.com`,
      email_verified: true,
    }
  }

  #metadata(): Record<string, unknown> {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'none'],
    }
  }
}

function ok(body: unknown): { status: number; body: unknown } {
  return { status: 200, body }
}

/** A token that says that it needs no signature. */
export function unsigned(claims: JWTPayload): string {
  return `${encode({ alg: 'none' })}.${encode(claims)}.`
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

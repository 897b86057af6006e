import type { CodeHost, MintedCredential } from './code-host.ts'

/** Gitea and Forgejo, as a user. They have no tokens for single repositories: what the user may do is the limit. */
export class Gitea implements CodeHost {
  readonly #token: string

  constructor({ token }: { readonly token: string }) {
    this.#token = token
  }

  async mintCredential(): Promise<MintedCredential> {
    return { credential: `x-access-token:${this.#token}`, expiresAt: 0 }
  }
}

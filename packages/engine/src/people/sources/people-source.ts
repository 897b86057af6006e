import type { Provider } from '@skein/contract'
import type { Document } from '@skein/core'

export interface SourceStart {
  readonly redirectUrl: string
  readonly state: string
  readonly nonce: string
  /** Of the code verifier. */
  readonly challenge: string
}

export interface SourceAnswer {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** What lets us act for a person at their code host. */
export interface PersonGrant {
  readonly accessToken: string
  /** Empty if there is none. */
  readonly refreshToken: string
  /** In epoch milliseconds; undefined if it does not expire. */
  readonly expiresAt: number | undefined
  /** Where it may be used, and nowhere else. */
  readonly apiUrl: string
}

interface FoundPerson {
  /** With `sub`, which never changes, and whatever else decides about the person. */
  readonly claims: Document
  readonly grant?: PersonGrant
}

/** Where people come from: an identity provider or a code host. What is special about one is in its own file. */
export interface PeopleSource {
  /** Of the accounts that its people get. */
  readonly ownerProvider: Provider
  /** Together with the subject, it identifies a person. */
  readonly issuer: string
  /** Where to send the browser. */
  authorizationUrl(start: SourceStart): Promise<URL>
  /** Exchanges the code in the URL that the browser came back to. */
  finish(url: URL, answer: SourceAnswer): Promise<FoundPerson>
}

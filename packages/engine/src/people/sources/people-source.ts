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

interface FoundPerson {
  /** With `sub`, which never changes, and whatever else decides about the person. */
  readonly claims: Document
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

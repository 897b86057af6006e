import { CatalogStore, type HeldEndpoint, type Transaction } from '@skein/store'
import type { ResourceRef } from '@skein/core'
import type { EngineResources } from '../../resources.ts'
import { findReceiver, INTEGRATION, type Receiver } from './destinations.ts'

/** A replaced key is valid for a day: that it no longer is may be noticed so much later. */
const MAX_AGE_MS = 10_000

/** Where an endpoint's events go. Its keys and secrets are read and opened again only after one of them was written. */
export class ReceiverSource {
  readonly #engine: EngineResources
  readonly #endpoint: HeldEndpoint
  #refs: readonly ResourceRef[]
  #version = ''
  #readAt = -Infinity
  #receiver: Receiver | undefined

  constructor(engine: EngineResources, endpoint: HeldEndpoint) {
    this.#engine = engine
    this.#endpoint = endpoint
    this.#refs = [{ kind: INTEGRATION, name: endpoint.integration }]
  }

  /** Undefined if the integration was disabled or deleted. */
  async find(transaction: Transaction): Promise<Receiver | undefined> {
    const catalog = new CatalogStore(transaction)
    const version = await catalog.versionOf(this.#refs)
    if (version === this.#version && performance.now() - this.#readAt < MAX_AGE_MS) return this.#receiver
    this.#receiver = await findReceiver(this.#engine, transaction, this.#endpoint)
    const secrets = secretsOf(this.#receiver)
    this.#refs = [
      { kind: INTEGRATION, name: this.#endpoint.integration },
      ...secrets.map((name) => ({ kind: 'secret', name })),
    ]
    // The integration's version from before it was read: if it was written in between, it is read again next time.
    this.#version = secrets.length === 0 ? version : await catalog.versionOf(this.#refs)
    this.#readAt = performance.now()
    return this.#receiver
  }
}

function secretsOf(receiver: Receiver | undefined): string[] {
  if (!receiver) return []
  const { headers, urlSecret } = receiver.integration
  return [...Object.values(headers), ...(urlSecret === '' ? [] : [urlSecret])]
}

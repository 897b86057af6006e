import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Encrypts values that the service needs again, with a key that is never in the database (docs/adr/0008). Each value
 * is bound to its place, so a ciphertext that is moved elsewhere cannot be opened.
 */
export class Vault {
  readonly #keys: ReadonlyMap<string, Uint8Array>
  readonly #sealingKeyId: string
  readonly #digestKeys: readonly Uint8Array[]

  /** The first key seals, all of them open, so that keys can be rotated. */
  constructor(masterKeys: readonly Uint8Array[]) {
    this.#keys = new Map(masterKeys.map((key) => [idOf(key), key]))
    const [first] = masterKeys
    if (first === undefined || masterKeys.some((key) => key.length !== 32)) {
      throw new TypeError('The vault needs master keys of 32 bytes')
    }
    this.#sealingKeyId = idOf(first)
    this.#digestKeys = masterKeys.map(deriveDigestKey)
  }

  seal(value: string, place: string): string {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key(this.#sealingKeyId), iv)
    cipher.setAAD(Buffer.from(place))
    const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return ['v1', this.#sealingKeyId, iv.toString('base64url'), sealed.toString('base64url')].join('.')
  }

  open(sealed: string, place: string): string {
    const [version, keyId, iv, body] = sealed.split('.')
    if (version !== 'v1' || keyId === undefined || iv === undefined || body === undefined) {
      throw new Error('Not a sealed value of a known form')
    }
    const bytes = Buffer.from(body, 'base64url')
    // A lenient decoder would accept several spellings of one value.
    if (bytes.toString('base64url') !== body) throw new Error('Not a sealed value of a known form')
    // Without the length, a 4-byte tag would be accepted, which can be guessed.
    const decipher = createDecipheriv('aes-256-gcm', this.#key(keyId), Buffer.from(iv, 'base64url'), {
      authTagLength: 16,
    })
    decipher.setAAD(Buffer.from(place))
    decipher.setAuthTag(bytes.subarray(-16))
    return decipher.update(bytes.subarray(0, -16), undefined, 'utf8') + decipher.final('utf8')
  }

  /**
   * Recognises a value without storing it. Keyed, so that someone with only the database cannot test guesses.
   * Returns one digest per master key. The first is the one to store; a stored digest may match any of them.
   */
  digests(value: string): Buffer[] {
    return this.#digestKeys.map((key) => createHmac('sha256', key).update(value).digest())
  }

  isSealedWithFirstKey(sealed: string): boolean {
    return sealed.startsWith(`v1.${this.#sealingKeyId}.`)
  }

  #key(id: string): Uint8Array {
    const key = this.#keys.get(id)
    if (key === undefined)
      throw new Error(`No master key ${id}: it was removed before its values were re-sealed`)
    return key
  }
}

/** Each key has one purpose: a sealing key is never used for digests. */
function deriveDigestKey(key: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, '', 'skein request digest', 32))
}

/** Identifies a key without revealing it. */
function idOf(key: Uint8Array): string {
  return createHash('sha256').update('skein master key').update(key).digest('hex').slice(0, 8)
}

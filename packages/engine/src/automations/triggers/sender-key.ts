const SENDER_ID = /^[!-~]{1,255}$/

/** The same for every copy of a request: the sender's id for it, or without a usable one the digest of its body. */
export function senderKeyOf(id: string, bodyDigest: Buffer): string {
  return SENDER_ID.test(id) ? `id:${id}` : `sha256:${bodyDigest.toString('hex')}`
}

import { KEY_PREFIXES } from '@skein/contract/facts'

const FORM = new RegExp(`^${KEY_PREFIXES.shareLink}_[A-Za-z0-9._-]+$`)

/** The key behind the hash; undefined for what was never a share link's. */
export function readShareKey(hash: string): string | undefined {
  const key = decodeHash(hash.replace(/^#/, ''))
  return FORM.test(key) ? key : undefined
}

/** Some programs escape what they make a link of. */
function decodeHash(text: string): string {
  try {
    return decodeURIComponent(text).trim()
  } catch {
    return text
  }
}

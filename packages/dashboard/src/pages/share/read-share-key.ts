import { KEY_PREFIXES } from '@skein/contract/facts'

const FORM = new RegExp(`^${KEY_PREFIXES.shareLink}_[A-Za-z0-9._-]+$`)

/** The key in the fragment; undefined if it cannot be a share link's. */
export function readShareKey(hash: string): string | undefined {
  const key = decodeHash(hash.replace(/^#/, ''))
  return FORM.test(key) ? key : undefined
}

/** Some programs escape the links they create. */
function decodeHash(text: string): string {
  try {
    return decodeURIComponent(text).trim()
  } catch {
    return text
  }
}

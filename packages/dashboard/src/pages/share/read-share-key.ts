/** The key behind the hash; undefined for what was never a share link's. */
export function readShareKey(hash: string): string | undefined {
  const key = decodeHash(hash.replace(/^#/, ''))
  return /^skl_[A-Za-z0-9._-]+$/.test(key) ? key : undefined
}

/** Some programs escape what they make a link of. */
function decodeHash(text: string): string {
  try {
    return decodeURIComponent(text).trim()
  } catch {
    return text
  }
}

/**
 * A delay below `mostMs` that only depends on the text, so that every server computes the same one. FNV-1a: evenly
 * spread is enough, nothing depends on it being hard to guess.
 */
export function jitterOf(text: string, mostMs: number): number {
  if (mostMs <= 0) return 0
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  // FNV's low bits change most with the last characters: mix them into the others.
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x2c1b3c6d)
  hash ^= hash >>> 12
  return Math.floor(((hash >>> 0) / 0x1_0000_0000) * mostMs)
}

import { timingSafeEqual } from 'node:crypto'

/** For secrets: takes as long wherever they differ. */
export function isEqual(one: string | Uint8Array, other: string | Uint8Array): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

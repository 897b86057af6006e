import type { AuditPlace } from '@skein/store'
import { decodePageToken, encodePageToken } from '../paging.ts'

const FORM = /^[0-9]{1,15} [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Position of an entry in one order of the log. Tokens of another order are rejected. */
export function encodePlace(list: string, { at, id }: AuditPlace): string {
  return encodePageToken(list, [at.toString(), id])
}

export function decodePlace(list: string, pageToken: string | undefined): AuditPlace | undefined {
  const [at, id] = decodePageToken(list, { pageToken }, FORM) ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id }
}

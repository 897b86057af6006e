import type { AuditPlace } from '@skein/store'
import { decodePageToken, encodePageToken, TIME_AND_ID } from '../paging.ts'

/** Position of an entry in one order of the log. Tokens of another order are rejected. */
export function encodePlace(list: string, { at, id }: AuditPlace): string {
  return encodePageToken(list, [at.toString(), id])
}

export function decodePlace(list: string, pageToken: string | undefined): AuditPlace | undefined {
  const [at, id] = decodePageToken(list, { pageToken }, TIME_AND_ID) ?? []
  return at === undefined || id === undefined ? undefined : { at: Number(at), id }
}

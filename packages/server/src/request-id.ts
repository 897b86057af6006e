import { newId } from '@skein/engine'

const WELL_FORMED = /^[A-Za-z0-9._:-]{1,128}$/

/** The caller's own id if it is safe to log, otherwise a new one. */
export function requestIdFrom(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : newId()
}

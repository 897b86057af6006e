import type { ScimError } from '@skein/core'

/** What a list is asked for. */
export interface ScimQuery {
  readonly filter: string | undefined
  /** From 1. */
  readonly startIndex: number
  readonly count: number
}

export interface ScimPage<Resource> {
  /** How many there are in all. */
  readonly total: number
  readonly resources: readonly Resource[]
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Anything else names nothing. */
export function requireId(text: string, notFound: () => ScimError): string {
  const id = text.toLowerCase()
  if (!ID.test(id)) throw notFound()
  return id
}

import type { Document } from '@skein/resource-files'
import { skein } from '../../session/skein.ts'
import { readBack } from '../../catalog/catalog-queries.ts'
import type { TokenFacts } from './token-facts.ts'
import { noticeWrite } from '../../catalog/write-resource.ts'

interface Reason {
  readonly justification: string
}

function because({ justification }: Reason) {
  return justification.trim() === '' ? {} : { justification: justification.trim() }
}

/** Undefined if the response with the key was lost: a replayed response contains no secret. */
type NewKey = string | undefined

export async function createToken(name: string, document: Document, reason: Reason): Promise<NewKey> {
  return keyOf(await skein.catalog.put('token', name, document, { ifGeneration: '0', ...because(reason) }))
}

export async function rotateToken(
  { name, generation, keyVersion }: TokenFacts,
  overlapHours: number,
  reason: Reason,
): Promise<NewKey> {
  const fields = { keyVersion: keyVersion + 1, overlap: `${overlapHours * 3600}s` }
  return keyOf(
    await skein.catalog.patch('token', name, fields, {
      mask: ['keyVersion', 'overlap'],
      ifGeneration: generation,
      ...because(reason),
    }),
  )
}

export async function revokeToken({ name }: TokenFacts, reason: Reason): Promise<void> {
  await skein.catalog.patch('token', name, { revoked: true }, { mask: ['revoked'], ...because(reason) })
}

/** Reads the token again, to update the list. */
export async function refreshToken(name: string): Promise<void> {
  noticeWrite('token', name, await readBack('token', name))
}

function keyOf({ document }: { readonly document: Document }): NewKey {
  const { key } = document
  return typeof key === 'string' ? key : undefined
}

import type { CodeHostDocument } from '@skein/contract'
import { parseDocument, StoredDocumentError } from '@skein/core'
import { CatalogStore, type Transaction } from '@skein/store'

const CODE_HOST = 'code-host'

/** Undefined if there is none, or if it cannot be read until it is written again. */
export async function findCodeHost(
  transaction: Transaction,
  name: string,
): Promise<CodeHostDocument | undefined> {
  const document = (await new CatalogStore(transaction).find({ kind: CODE_HOST, name }))?.document
  if (!document) return undefined
  try {
    return parseDocument(CODE_HOST, name, document)
  } catch (error) {
    if (error instanceof StoredDocumentError) return undefined
    throw error
  }
}

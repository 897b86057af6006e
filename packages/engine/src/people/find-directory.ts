import type { DirectoryDocument } from '@skein/contract'
import { parseDocument } from '@skein/core'
import { CatalogStore, type Transaction } from '@skein/store'

/** The directory of an identity provider, which has its name. */
export async function findDirectory(
  transaction: Transaction,
  name: string,
): Promise<DirectoryDocument | undefined> {
  const document = (await new CatalogStore(transaction).find({ kind: 'directory', name }))?.document
  return document && parseDocument('directory', name, document)
}

import type { CodeHostDocument } from '@skein/contract'
import { CatalogStore, type Transaction } from '@skein/store'
import { parseReadable } from './parse-readable.ts'

const CODE_HOST = 'code-host'

/** Undefined if there is none, or if it cannot be read until it is written again. */
export async function findCodeHost(
  transaction: Transaction,
  name: string,
): Promise<CodeHostDocument | undefined> {
  const document = (await new CatalogStore(transaction).find({ kind: CODE_HOST, name }))?.document
  return document && parseReadable(CODE_HOST, name, document)
}

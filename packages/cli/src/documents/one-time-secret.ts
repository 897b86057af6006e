import type { CatalogDocument, KindDescription } from '@skein/client'
import type { CommandContext } from '../command-line/command-context.ts'

/** A secret returned only once by a write, such as a token's key. */
export interface OneTimeSecret {
  readonly field: string
  readonly value: string
}

export function findOneTimeSecret(
  { oneTimeSecret: field = '' }: Partial<KindDescription>,
  document: CatalogDocument,
): OneTimeSecret | undefined {
  const value = document[field]
  return field !== '' && typeof value === 'string' ? { field, value } : undefined
}

/** A retry is answered from the record, which contains no secret. */
export function explainLostSecret(kind: string, name: string): string {
  return `${kind}/${name}: the response with its secret was lost. Increase keyVersion to get a new one.`
}

export function printOneTimeSecret(
  context: CommandContext,
  ref: { readonly kind: string; readonly name: string },
  { field, value }: OneTimeSecret,
): void {
  if (context.isJson) return
  context.io.print(`${ref.kind}/${ref.name} ${field}: ${value}`)
  context.note(`The ${field} of ${ref.kind}/${ref.name} is shown only once.`)
}

import { SkeinError, type Documents } from '@skein/contract'
import {
  builtInsOf,
  findBuiltIn,
  parseDocument,
  type Backend,
  type Document,
  type PersonaVersion,
} from '@skein/core'
import { CatalogStore, type Transaction } from '@skein/store'

/** The tenant's catalog for agent operations, with built-ins as the fallback. */
export class CatalogView {
  readonly #store: CatalogStore

  constructor(transaction: Transaction) {
    this.#store = new CatalogStore(transaction)
  }

  async find<Kind extends keyof Documents>(
    kind: Kind,
    name: string,
  ): Promise<{ document: Documents[Kind]; generation: string } | undefined> {
    const record = await this.#store.find({ kind, name })
    const document = record?.document ?? findBuiltIn(kind, name)
    if (!document) return undefined
    const generation = record?.document ? record.generation.toString() : '0'
    return { document: parseDocument(kind, name, document), generation }
  }

  async persona(name: string): Promise<PersonaVersion> {
    const record = await this.#store.find({ kind: 'persona', name })
    const own = record?.document && { generation: record.generation.toString(), document: record.document }
    return requirePersona(name, own)
  }

  async backends(): Promise<Backend[]> {
    return listBackends(await this.#store.listAfter('backend', '', 100))
  }

  async workspaceNames(): Promise<string[]> {
    const stored = await this.#store.listAfter('workspace', '', 1000)
    return [
      ...new Set([...stored.map(({ name }) => name), ...builtInsOf('workspace').map(({ name }) => name)]),
    ]
  }

  /** Empty if the workspace sets none, or has been deleted. */
  async workspaceModel(name: string): Promise<string> {
    return (await this.find('workspace', name))?.document.model ?? ''
  }

  /** A build supports everything unless its pool lists features. */
  async canDefer(poolName: string): Promise<boolean> {
    const pool = await this.find('pool', poolName)
    const features = pool?.document.build.features
    return features === undefined || features.includes('deferral')
  }
}

/** The tenant's own version, else the built-in one. */
export function requirePersona(
  name: string,
  own: { readonly generation: string; readonly document: Document } | undefined,
): PersonaVersion {
  const document = own?.document ?? findBuiltIn('persona', name)
  if (!document) {
    throw new SkeinError('REQUEST_INVALID', {
      message: `The persona ${name} was not found.`,
      violations: [{ field: 'agent', description: `persona ${name} not found` }],
    })
  }
  return { name, generation: own?.generation ?? '0', document: parseDocument('persona', name, document) }
}

/** The tenant's own and the built-in ones. A before B: a request without a model uses the first. */
export function listBackends(
  stored: readonly { readonly name: string; readonly document: Document | undefined }[],
): Backend[] {
  const byName = new Map(builtInsOf('backend').map(({ name, document }) => [name, document]))
  for (const { name, document } of stored) if (document) byName.set(name, document)
  return [...byName.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, document]) => ({ name, document: parseDocument('backend', name, document) }))
}

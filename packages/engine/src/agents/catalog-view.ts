import { validatorFor, backend as backendKind, persona as personaKind, SkeinError } from '@skein/contract'
import type { BackendDocument, PersonaDocument } from '@skein/contract'
import {
  builtInsOf,
  findBuiltIn,
  isDocument,
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

  async find(kind: string, name: string): Promise<{ document: Document; generation: string } | undefined> {
    const record = await this.#store.find({ kind, name })
    if (record?.document) return { document: record.document, generation: record.generation.toString() }
    const builtIn = findBuiltIn(kind, name)
    return builtIn && { document: builtIn, generation: '0' }
  }

  async persona(name: string): Promise<PersonaVersion> {
    const found = await this.find('persona', name)
    if (!found) {
      throw new SkeinError('REQUEST_INVALID', {
        message: `There is no persona named ${name}.`,
        violations: [{ field: 'agent', description: `there is no persona named ${name}` }],
      })
    }
    return { name, generation: found.generation, document: asPersona(found.document) }
  }

  /** A before B: a request without a model uses the first. */
  async backends(): Promise<Backend[]> {
    const stored = await this.#store.listAfter('backend', '', 100)
    const byName = new Map(builtInsOf('backend').map(({ name, document }) => [name, document]))
    for (const { name, document } of stored) if (document) byName.set(name, document)
    return [...byName.entries()]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, document]) => ({ name, document: asBackend(document) }))
  }

  async workspaceNames(): Promise<string[]> {
    const stored = await this.#store.listAfter('workspace', '', 1000)
    return [
      ...new Set([...stored.map(({ name }) => name), ...builtInsOf('workspace').map(({ name }) => name)]),
    ]
  }

  /** Empty if the workspace sets none, or has been deleted. */
  async workspaceModel(name: string): Promise<string> {
    const model = (await this.find('workspace', name))?.document['model']
    return typeof model === 'string' ? model : ''
  }

  /** A build supports everything unless its pool lists features. */
  async canDefer(poolName: string): Promise<boolean> {
    const pool = await this.find('pool', poolName)
    const build = pool?.document['build']
    const features = isDocument(build) ? build['features'] : undefined
    return !Array.isArray(features) || features.includes('deferral')
  }
}

function asPersona(document: Document): PersonaDocument {
  if (isPersona(document)) return document
  throw new Error('A stored persona fits its schema')
}

function asBackend(document: Document): BackendDocument {
  if (isBackend(document)) return document
  throw new Error('A stored backend fits its schema')
}

function isPersona(document: unknown): document is PersonaDocument {
  return validatorFor(personaKind.schema).violations(document).length === 0
}

function isBackend(document: unknown): document is BackendDocument {
  return validatorFor(backendKind.schema).violations(document).length === 0
}

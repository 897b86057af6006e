import type { Documents } from '@skein/contract'
import { findBuiltIn, parseDocument, parseOwnOrBuiltIn, type Backend, type PersonaVersion } from '@skein/core'
import { readSpawnDocuments, type SpawnDocuments } from '@skein/store'
import type { EngineResources } from '../resources.ts'
import { listBackends, requirePersona } from './catalog-view.ts'

/** What a spawn needs of the catalog, read in one round trip. Documents are parsed only when they are needed. */
export class SpawnCatalog {
  readonly #workspaceName: string
  readonly #documents: SpawnDocuments

  constructor(workspaceName: string, documents: SpawnDocuments) {
    this.#workspaceName = workspaceName
    this.#documents = documents
  }

  /** Undefined if there is none. */
  workspace(): Documents['workspace'] | undefined {
    return parseOwnOrBuiltIn('workspace', this.#workspaceName, this.#documents.workspace)
  }

  persona(): PersonaVersion {
    const { personaName: name, persona } = this.#documents
    return requirePersona(name, persona)
  }

  backends(): Backend[] {
    return listBackends(this.#documents.backends)
  }
}

export async function readSpawnCatalog(
  { database }: EngineResources,
  tenantId: string,
  workspace: string,
  persona = '',
): Promise<SpawnCatalog> {
  const builtIn = findBuiltIn('workspace', workspace)
  const builtInPersona = builtIn ? parseDocument('workspace', workspace, builtIn).persona : ''
  const documents = await database.statement(
    (transaction) => readSpawnDocuments(transaction, tenantId, { workspace, persona, builtInPersona }),
    tenantId,
  )
  return new SpawnCatalog(workspace, documents)
}

import type { Documents } from '@skein/contract'
import {
  agentKey,
  findBuiltIn,
  parentIdentity,
  parseDocument,
  parseOwnOrBuiltIn,
  type AgentIdentity,
  type Backend,
  type PersonaVersion,
} from '@skein/core'
import {
  loadSpawnQuery,
  toLoadedSpawn,
  type LoadedTree,
  type Query,
  type SpawnDocuments,
  type SpawnFacts,
  type SpawnPlace,
  type TreeQuery,
} from '@skein/store'
import type { TreeLoad } from '../commands/tree-command.ts'
import { listBackends, requirePersona } from './catalog-view.ts'

/** What a spawn needs of the catalog. Documents are parsed only when they are needed. */
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

interface SpawnRead extends Omit<SpawnFacts, 'documents'> {
  readonly catalog: SpawnCatalog
}

/** Reads the catalog and what the tenant uses together with the tree, once that is locked. */
export class SpawnReading implements TreeLoad {
  readonly #place: SpawnPlace
  #result: SpawnRead | undefined

  constructor(identity: AgentIdentity, persona = '') {
    const { workspace, ownerProvider, account } = identity
    const parent = parentIdentity(identity)
    this.#place = {
      workspace,
      persona,
      builtIn: namedByBuiltIn(workspace),
      profile: ownerProvider === 'PROVIDER_SERVICE_PROFILE' ? account : undefined,
      parentKey: parent ? agentKey(parent) : '',
    }
  }

  query(tree: TreeQuery): Query {
    return loadSpawnQuery(tree, this.#place)
  }

  read(row: unknown): LoadedTree {
    const { tree, facts } = toLoadedSpawn(row, this.#place)
    const { documents, ...rest } = facts
    this.#result = { ...rest, catalog: new SpawnCatalog(this.#place.workspace, documents) }
    return tree
  }

  /** Of the last try. */
  get result(): SpawnRead {
    if (!this.#result) throw new Error('A spawn decides after it has read')
    return this.#result
  }
}

function namedByBuiltIn(workspace: string): SpawnPlace['builtIn'] {
  const builtIn = findBuiltIn('workspace', workspace)
  return builtIn ? parseDocument('workspace', workspace, builtIn) : { persona: '', pool: '' }
}

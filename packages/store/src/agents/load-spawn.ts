import type { Document, ResourceRef } from '@skein/core'
import type { Query } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { loadTreeValues, toLoadedTree, type LoadedTree, type TreeQuery } from './load-tree.ts'

/** What a spawn names, with what a built-in workspace would say. */
export interface SpawnPlace {
  readonly workspace: string
  /** Empty for the workspace's. */
  readonly persona: string
  /** Those of the built-in workspace, for tenants without their own. */
  readonly builtIn: { readonly persona: string; readonly pool: string }
  /** Of an agent that belongs to one. */
  readonly profile: string | undefined
  /** Empty for a root. */
  readonly parentKey: string
}

/** What a spawn reads besides the tree. */
export interface SpawnFacts {
  /** The tenant's own documents, as stored. Absent ones may be built in. */
  readonly documents: SpawnDocuments
  /** Which of the resources that the agent uses the tenant has. They stay until the transaction ends. */
  readonly held: readonly ResourceRef[]
  readonly occupancy: Occupancy
}

export interface SpawnDocuments {
  readonly workspace: Document | undefined
  readonly personaName: string
  readonly persona: { readonly generation: string; readonly document: Document } | undefined
  readonly backends: readonly { readonly name: string; readonly document: Document }[]
}

/** How much of a tenant's quota is used. */
interface Occupancy {
  readonly liveAgents: number
  /** Of all pending messages. */
  readonly queuedBytes: number
  readonly liveChildrenOfParent: number
}

/** One statement, so that a spawn waits no longer for the database than any other command. */
const load = statement(
  'load_spawn',
  `select json_build_object('tree', load_tree($1, $2, $3, $4, $5, $6, $7),
     'spawn', prepare_spawn($1, $8, $9, $10, $11, $12, $13)) as loaded`,
  { loaded: 'json' },
)

export function loadSpawnQuery(
  tree: TreeQuery,
  { workspace, persona, builtIn, profile, parentKey }: SpawnPlace,
): Query {
  return {
    statement: load,
    values: [
      ...loadTreeValues(tree),
      workspace,
      persona,
      builtIn.persona,
      builtIn.pool,
      profile ?? null,
      parentKey,
    ],
  }
}

export function toLoadedSpawn(row: unknown, place: SpawnPlace): { tree: LoadedTree; facts: SpawnFacts } {
  if (!isLoadedRow(row)) throw new Error('load_spawn answers a row')
  return { tree: toLoadedTree(row.tree), facts: toSpawnFacts(row.spawn, place) }
}

interface LoadedRow {
  tree: unknown
  spawn: PreparedRow
}

interface PreparedRow {
  workspace: Document | null
  poolName: string
  personaName: string
  hasPool: boolean
  hasProfile: boolean
  persona: { generation: string; document: Document } | null
  backends: { name: string; document: Document }[] | null
  liveAgents: number
  queuedBytes: number
  liveChildren: number
}

function toSpawnFacts(row: PreparedRow, place: SpawnPlace): SpawnFacts {
  return {
    documents: {
      workspace: row.workspace ?? undefined,
      personaName: row.personaName,
      persona: row.persona ?? undefined,
      backends: row.backends ?? [],
    },
    held: [
      ...(row.workspace ? [{ kind: 'workspace', name: place.workspace }] : []),
      ...(row.hasPool ? [{ kind: 'pool', name: row.poolName }] : []),
      ...(row.hasProfile && place.profile !== undefined ? [{ kind: 'profile', name: place.profile }] : []),
    ],
    occupancy: {
      liveAgents: row.liveAgents,
      queuedBytes: row.queuedBytes,
      liveChildrenOfParent: row.liveChildren,
    },
  }
}

function isLoadedRow(row: unknown): row is LoadedRow {
  return typeof row === 'object' && row !== null && 'spawn' in row
}

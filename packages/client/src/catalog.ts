import type { Connection, RequestOptions } from './call/connection.ts'
import { decodeDocument, encodeDocument, type CatalogDocument } from './document-codec.ts'
import type { KindDescription, ResourceVersion as WireVersion, TenantInput } from './generated/types.ts'
import { readPages } from './read-pages.ts'

/**
 * A catalog document with its name and version.
 *
 * @example
 * const { document, generation, isBuiltIn } = await skein.catalog.get('backend', 'a')
 */
export interface Resource {
  readonly kind: string
  readonly name: string
  readonly document: CatalogDocument
  /** The version; 0 for a built-in. */
  readonly generation: string
  /** Whether it is built in and not shadowed by a resource of the tenant. */
  readonly isBuiltIn: boolean
}

/**
 * One version in the history of a resource.
 *
 * @example
 * for await (const { action, updateTime } of skein.catalog.history('persona', 'reviewer')) {
 *   console.log(action, updateTime)
 * }
 */
export interface ResourceVersion extends Omit<WireVersion, 'payload'> {
  readonly document: CatalogDocument
}

/**
 * The tenant, and how to make the call.
 *
 * @example
 * const tenant = { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' } as const
 * await skein.catalog.get('workspace', 'shop', { tenant })
 */
export interface CatalogOptions extends RequestOptions {
  /** For operators. Default: your own tenant. */
  readonly tenant?: TenantInput | undefined
}

/**
 * A list of resources, page by page.
 *
 * @example
 * for await (const { name } of skein.catalog.list('secret', { pageSize: 100 })) console.log(name)
 */
export interface CatalogListOptions extends CatalogOptions {
  /** Number of entries per request. */
  readonly pageSize?: number | undefined
}

/**
 * Selects a page of a list.
 *
 * @example
 * const { nextPageToken } = await skein.catalog.listHistory('persona', 'reviewer', { pageSize: 10 })
 * await skein.catalog.listHistory('persona', 'reviewer', { pageSize: 10, pageToken: nextPageToken })
 */
export interface CatalogPageOptions extends CatalogListOptions {
  /** The `nextPageToken` of the previous page. Default: the first page. */
  readonly pageToken?: string | undefined
}

/**
 * Some versions of a resource, newest first.
 *
 * @example
 * const { entries, nextPageToken } = await skein.catalog.listHistory('persona', 'reviewer')
 */
export interface ResourceHistoryPage {
  readonly entries: readonly ResourceVersion[]
  /** Token of the next page; empty on the last. */
  readonly nextPageToken: string
}

/**
 * Condition and reason of a write.
 *
 * @example
 * await skein.catalog.put('quota', 'default', { liveAgents: 50 }, { ifGeneration: 0, justification: 'a new team' })
 */
export interface WriteOptions extends CatalogOptions {
  /** Only if the resource is still at this generation; 0 means only if it doesn't exist. */
  readonly ifGeneration?: string | number | undefined
  /** Recorded in the audit log. Required for operators. */
  readonly justification?: string | undefined
}

/**
 * Which fields to change.
 *
 * @example
 * await skein.catalog.patch('workspace', 'shop', { model: 'claude-sonnet-5' }, { mask: ['model'], ifGeneration: '4' })
 */
export interface PatchOptions extends WriteOptions {
  /** Paths such as `model` or `spec.repos`. Paths missing from the given fields are reset to their default. */
  readonly mask: readonly string[]
}

/**
 * The documents that configure a tenant: workspaces, personas, secrets and so on.
 *
 * @example
 * const { document, generation } = await skein.catalog.get('workspace', 'shop')
 */
export class Catalog {
  readonly #connection: Connection

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * All kinds, each with the JSON Schema of its documents.
   *
   * @example
   * for (const { kind, summary } of await skein.catalog.kinds()) console.log(kind, summary)
   */
  async kinds(options: RequestOptions = {}): Promise<readonly KindDescription[]> {
    return (await this.#connection.call('listKinds', {}, options)).kinds
  }

  /**
   * All resources of a kind, sorted by name, including built-ins.
   *
   * @example
   * for await (const { name, generation } of skein.catalog.list('persona')) console.log(name, generation)
   */
  list(kind: string, options: CatalogListOptions = {}): AsyncGenerator<Resource, void> {
    const params = { 'ref.kind': kind }
    return readPages(
      (pageToken) => {
        const query = pageQuery({ ...options, pageToken })
        return this.#connection.call('listResources', { params, query }, options)
      },
      ({ entries }) =>
        entries.map(({ name, payload, generation, builtIn }) => ({
          kind,
          name,
          document: decodeDocument(payload),
          generation,
          isBuiltIn: builtIn,
        })),
    )
  }

  /**
   * One resource.
   *
   * @example
   * const { document } = await skein.catalog.get('persona', 'reviewer')
   */
  async get(kind: string, name: string, { tenant, ...options }: CatalogOptions = {}): Promise<Resource> {
    const parts = { params: refOf(kind, name), query: tenantQuery(tenant) }
    const { payload, generation } = await this.#connection.call('readResource', parts, options)
    return toResource(kind, name, payload, generation)
  }

  /**
   * Creates a resource, or replaces an existing one's whole document. The result includes what the service adds; for
   * a token that is its key, which is shown only once.
   *
   * @example
   * const { generation } = await skein.catalog.put('persona', 'reviewer', { prompt: 'You review code.' })
   * await skein.catalog.put('persona', 'reviewer', { prompt: 'Be brief.' }, { ifGeneration: generation })
   */
  put(kind: string, name: string, document: CatalogDocument, options: WriteOptions = {}): Promise<Resource> {
    return this.#write(kind, name, document, options)
  }

  /**
   * Changes some fields of a resource and keeps the others.
   *
   * @example
   * await skein.catalog.patch('persona', 'reviewer', { model: 'claude-sonnet-5' }, { mask: ['model'] })
   */
  patch(kind: string, name: string, fields: CatalogDocument, options: PatchOptions): Promise<Resource> {
    if (options.mask.length === 0) throw new TypeError('A patch needs the names of the fields to change')
    return this.#write(kind, name, fields, options)
  }

  /**
   * Deletes a resource. Its history stays.
   *
   * @example
   * await skein.catalog.delete('persona', 'reviewer', { ifGeneration: '3' })
   */
  async delete(
    kind: string,
    name: string,
    { tenant, ifGeneration, justification, ...options }: WriteOptions = {},
  ): Promise<void> {
    const query = { ...tenantQuery(tenant), ifGenerationMatch: toInt64(ifGeneration), justification }
    await this.#connection.call('deleteResource', { params: refOf(kind, name), query }, options)
  }

  /**
   * Every version of a resource, including deletions, newest first.
   *
   * @example
   * for await (const { generation, updatedBy } of skein.catalog.history('persona', 'reviewer')) {
   *   console.log(generation, updatedBy)
   * }
   */
  history(
    kind: string,
    name: string,
    options: CatalogListOptions = {},
  ): AsyncGenerator<ResourceVersion, void> {
    return readPages(
      (pageToken) => this.listHistory(kind, name, { ...options, pageToken }),
      ({ entries }) => entries,
    )
  }

  /**
   * One page of the history; `nextPageToken` is empty on the last.
   *
   * @example
   * const { entries, nextPageToken } = await skein.catalog.listHistory('persona', 'reviewer', { pageSize: 10 })
   */
  async listHistory(
    kind: string,
    name: string,
    options: CatalogPageOptions = {},
  ): Promise<ResourceHistoryPage> {
    const parts = { params: refOf(kind, name), query: pageQuery(options) }
    const page = await this.#connection.call('resourceHistory', parts, options)
    const entries = page.entries.map(({ payload, ...version }) => ({
      ...version,
      document: payload === '' ? {} : decodeDocument(payload),
    }))
    return { entries, nextPageToken: page.nextPageToken }
  }

  async #write(
    kind: string,
    name: string,
    document: CatalogDocument,
    { tenant, ifGeneration, justification, mask, ...options }: WriteOptions & Partial<PatchOptions>,
  ): Promise<Resource> {
    const body = {
      ref: tenant && { tenant },
      payload: encodeDocument(document),
      updateMask: mask?.join(','),
      justification,
      ifGenerationMatch: toInt64(ifGeneration),
    }
    const parts = { params: refOf(kind, name), body }
    const { payload, generation } = await this.#connection.call('writeResource', parts, options)
    return toResource(kind, name, payload, generation)
  }
}

function refOf(kind: string, name: string) {
  return { 'ref.kind': kind, 'ref.name': name }
}

export function tenantQuery(tenant: TenantInput | undefined) {
  return { 'ref.tenant.provider': tenant?.provider, 'ref.tenant.org': tenant?.org }
}

export function pageQuery({ tenant, pageSize, pageToken }: CatalogPageOptions) {
  return { ...tenantQuery(tenant), pageSize, pageToken }
}

function toInt64(generation: string | number | undefined): string | undefined {
  return generation === undefined ? undefined : String(generation)
}

function toResource(kind: string, name: string, payload: string, generation: string): Resource {
  return { kind, name, document: decodeDocument(payload), generation, isBuiltIn: generation === '0' }
}

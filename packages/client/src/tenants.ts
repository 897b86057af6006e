import type { Connection, RequestOptions } from './call/connection.ts'
import type { ReadTenantResponse, Tenant, TenantEntry, TenantExportLine } from './generated/types.ts'
import { readPages } from './read-pages.ts'

/**
 * Why an operator does something to a tenant.
 *
 * @example
 * const [acme] = await skein.tenants.find('acme')
 * if (acme) await skein.tenants.suspend(acme.id, { justification: 'the contract ended' })
 */
export interface TenantOptions extends RequestOptions {
  /** Recorded in the audit log. */
  readonly justification: string
}

/**
 * How to delete a tenant.
 *
 * @example
 * const [acme] = await skein.tenants.find('acme')
 * if (acme) await skein.tenants.delete(acme.id, { confirm: 'acme', justification: 'asked by Ada' })
 */
export interface DeleteTenantOptions extends TenantOptions {
  /** The tenant's organization, so that a wrong id has no effect. */
  readonly confirm: string
  /** Don't wait for runners: what they hold stays where it is. */
  readonly abandon?: boolean | undefined
}

/**
 * The tenants of the installation, for operators.
 *
 * @example
 * for await (const { tenant, state } of skein.tenants.list()) console.log(tenant.org, state)
 */
export class Tenants {
  readonly #connection: Connection

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * All tenants, in the order in which they were created.
   *
   * @example
   * for await (const { id, tenant } of skein.tenants.list()) console.log(id, tenant.org)
   */
  list(options: RequestOptions = {}): AsyncGenerator<TenantEntry, void> {
    return this.#list({}, options)
  }

  /**
   * The tenants of this name. There can be several, of different providers.
   *
   * @example
   * const [acme] = await skein.tenants.find('acme')
   */
  async find(org: string, options: RequestOptions = {}): Promise<readonly TenantEntry[]> {
    const found: TenantEntry[] = []
    for await (const entry of this.#list({ org }, options)) found.push(entry)
    return found
  }

  #list(query: { readonly org?: string }, options: RequestOptions): AsyncGenerator<TenantEntry, void> {
    return readPages(
      (pageToken) => this.#connection.call('listTenants', { query: { ...query, pageToken } }, options),
      ({ tenants }) => tenants,
    )
  }

  /**
   * One tenant, and what runners still hold of it while it is being deleted.
   *
   * @example
   * const { tenant, held } = await skein.tenants.get('0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10')
   */
  get(id: string, options: RequestOptions = {}): Promise<ReadTenantResponse> {
    return this.#connection.call('readTenant', { params: { tenantId: id } }, options)
  }

  /**
   * Creates a tenant, or returns the one of that name. It has no key yet: write a token into its catalog.
   *
   * @example
   * const tenant = { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' } as const
   * await skein.tenants.create(tenant, { justification: 'a new customer' })
   * const token = { account: 'ada', role: 'admin' }
   * await skein.catalog.put('token', 'first', token, { tenant, justification: 'their first key' })
   */
  create(tenant: Tenant, { justification, ...options }: TenantOptions): Promise<TenantEntry> {
    return this.#connection.call('createTenant', { body: { tenant, justification } }, options)
  }

  /**
   * Refuses its keys, holds its runs and pauses its automations until it is resumed.
   *
   * @example
   * await skein.tenants.suspend('0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10', { justification: 'the contract ended' })
   */
  suspend(id: string, { justification, ...options }: TenantOptions): Promise<TenantEntry> {
    const parts = { params: { tenantId: id }, body: { justification } }
    return this.#connection.call('suspendTenant', parts, options)
  }

  /**
   * Lets everything go on.
   *
   * @example
   * await skein.tenants.resume('0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10', { justification: 'it was renewed' })
   */
  resume(id: string, { justification, ...options }: TenantOptions): Promise<TenantEntry> {
    const parts = { params: { tenantId: id }, body: { justification } }
    return this.#connection.call('resumeTenant', parts, options)
  }

  /**
   * Begins to delete a tenant and everything stored of it, which cannot be undone. `get` fails with the reason
   * `TENANT_NOT_FOUND` once it is done.
   *
   * @example
   * const id = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'
   * await skein.tenants.delete(id, { confirm: 'acme', justification: 'asked by Ada' })
   */
  delete(
    id: string,
    { confirm, abandon = false, justification, ...options }: DeleteTenantOptions,
  ): Promise<TenantEntry> {
    const query = { confirm, justification, ...(abandon && { abandon: 'true' as const }) }
    return this.#connection.call('deleteTenant', { params: { tenantId: id }, query }, options)
  }

  /**
   * Everything the database holds of a tenant, line by line. The last line has the type `EXPORT_FINISHED`; if the
   * service ends the export earlier, this throws.
   *
   * @example
   * const id = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'
   * for await (const { table, row } of skein.tenants.export(id, { justification: 'asked by Ada' })) {
   *   console.log(table, row)
   * }
   */
  async *export(
    id: string,
    { justification, signal }: TenantOptions,
  ): AsyncGenerator<TenantExportLine, void> {
    const ports = { signal, justification, onOpen: () => {} }
    for await (const line of this.#connection.stream('exportTenant', { params: { tenantId: id } }, ports)) {
      yield line
      // A stream has no end of its own: the end of the response is an error.
      if (line.type === 'EXPORT_FINISHED') return
    }
  }
}

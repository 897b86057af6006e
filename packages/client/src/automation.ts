import type { Connection } from './call/connection.ts'
import type { Catalog, CatalogOptions } from './catalog.ts'
import type { CatalogDocument } from './document-codec.ts'

/**
 * The tenant, and why somebody does something with an automation.
 *
 * @example
 * await skein.schedules.run('nightly-deps', { justification: 'a release is due' })
 */
export interface AutomationOptions extends CatalogOptions {
  /** Recorded in the audit log. Required for operators. */
  readonly justification?: string | undefined
}

/** An automation is a resource, and the service keeps a log of it. */
export abstract class Automation {
  /** @internal */
  protected readonly connection: Connection
  readonly #catalog: Catalog
  readonly #kind: string

  /** @internal */
  constructor(connection: Connection, catalog: Catalog, kind: string) {
    this.connection = connection
    this.#catalog = catalog
    this.#kind = kind
  }

  /** @internal */
  protected async change(name: string, fields: CatalogDocument, options: AutomationOptions): Promise<void> {
    await this.#catalog.patch(this.#kind, name, fields, { ...options, mask: Object.keys(fields) })
  }
}

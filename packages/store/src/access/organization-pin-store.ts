import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

const list = statement(
  'organization_pin_list',
  `select organization, host_id from organization_pin
   where tenant_id = skein_current_tenant() and identity_provider = $1 and issuer = $2`,
  { organization: 'text', host_id: 'text' },
)

const add = statement(
  'organization_pin_add',
  `insert into organization_pin (tenant_id, identity_provider, issuer, organization, host_id)
   values (skein_current_tenant(), $1, $2, $3, $4) on conflict do nothing`,
)

const keep = statement(
  'organization_pin_keep',
  `delete from organization_pin
   where tenant_id = skein_current_tenant() and identity_provider = $1 and organization <> all($2)`,
)

/** Which organizations of code hosts the names in documents mean, for the transaction's tenant. */
export class OrganizationPinStore {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    this.#transaction = transaction
  }

  /** From name to the host's number. */
  async list(identityProvider: string, issuer: string): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#transaction.rows(list, [identityProvider, issuer])
    return new Map(rows.map((row) => [row.organization, row.host_id]))
  }

  /** False if the name means another organization by now. */
  async add(
    identityProvider: string,
    issuer: string,
    organization: string,
    hostId: string,
  ): Promise<boolean> {
    return (await this.#transaction.execute(add, [identityProvider, issuer, organization, hostId])) === 1
  }

  /** Forgets all names but these. */
  async keep(identityProvider: string, organizations: readonly string[]): Promise<void> {
    await this.#transaction.execute(keep, [identityProvider, organizations])
  }
}

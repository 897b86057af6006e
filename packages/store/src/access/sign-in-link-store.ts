import type { Transaction } from '../database/transaction.ts'
import { statement } from '../database/statement.ts'

const insert = statement(
  'sign_in_link_insert',
  `insert into sign_in_link (id, tenant_id, key_id, secret_sha256, created_at, expires_at)
   values ($1, skein_current_tenant(), $2, $3, $4, $5)`,
)

const keepNewest = statement(
  'sign_in_link_keep_newest',
  `delete from sign_in_link where id = any(array(
     select l.id from sign_in_link l
     where l.tenant_id = skein_current_tenant() and l.key_id = $1
     order by l.created_at desc, l.id desc offset $2))`,
)

const dropOfAccount = statement(
  'sign_in_link_drop_of_account',
  `delete from sign_in_link where tenant_id = skein_current_tenant() and key_id = any(array(
     select a.key_id from api_key a
     where a.tenant_id = skein_current_tenant() and a.owner_provider = $1 and a.account = $2))`,
)

const take = statement('take_sign_in_link', 'select take_sign_in_link($1, $2) as key_id', { key_id: 'text?' })

interface NewSignInLink {
  readonly id: string
  readonly keyId: string
  readonly secretSha256: Uint8Array
  readonly createdAt: number
  readonly expiresAt: number
}

/** Returns the id of the key the link stands for. Works once, and without a tenant. */
export async function takeSignInLink(
  transaction: Transaction,
  secretSha256: Uint8Array,
  at: number,
): Promise<string | undefined> {
  const row = await transaction.row(take, [secretSha256, new Date(at)])
  return row?.key_id ?? undefined
}

/** Keeps only the key's newest links, so that a program asking in a loop doesn't fill the table. */
export async function addSignInLink(
  transaction: Transaction,
  link: NewSignInLink,
  keep: number,
): Promise<void> {
  const { id, keyId, secretSha256, createdAt, expiresAt } = link
  await transaction.execute(insert, [id, keyId, secretSha256, new Date(createdAt), new Date(expiresAt)])
  await transaction.execute(keepNewest, [keyId, keep])
}

export async function dropSignInLinks(
  transaction: Transaction,
  { ownerProvider, account }: { readonly ownerProvider: string; readonly account: string },
): Promise<void> {
  await transaction.execute(dropOfAccount, [ownerProvider, account])
}

import { statement } from '../database/statement.ts'
import type { Transaction } from '../database/transaction.ts'

/**
 * What the users and groups of a directory are found by. A directory that was deleted and written again has another list,
 * so that it does not get back who was in the old one.
 */

const current = statement(
  'directory_list_current',
  `select list from directory_list
   where tenant_id = skein_current_tenant() and directory = $1 and not is_over`,
  { list: 'text' },
)

const end = statement(
  'directory_list_end',
  `insert into directory_list (tenant_id, directory, list, is_over) values (skein_current_tenant(), $1, $2, true)
   on conflict (tenant_id, list) do update set is_over = true`,
)

const begin = statement(
  'directory_list_begin',
  `insert into directory_list (tenant_id, directory, list, is_over) values (skein_current_tenant(), $1, $2, false)`,
)

export async function findDirectoryList(transaction: Transaction, directory: string): Promise<string> {
  return (await transaction.row(current, [directory]))?.list ?? directory
}

/** The directory was deleted, at this generation. */
export async function endDirectoryList(
  transaction: Transaction,
  directory: string,
  generation: bigint,
): Promise<void> {
  await transaction.execute(end, [directory, await findDirectoryList(transaction, directory)])
  // No directory has this name, and it is deleted only once at a generation.
  await transaction.execute(begin, [directory, `${directory}/${generation}`])
}

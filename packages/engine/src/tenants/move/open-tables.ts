import { lowerFence } from '@skein/store'
import type { Cell } from './cells.ts'

/** Servers can change rows of the tenant again. */
export async function openTables(
  { name, connection }: Pick<Cell, 'name' | 'connection'>,
  tenantId: string,
  onProgress: (text: string) => void,
): Promise<void> {
  const left = await lowerFence(connection, tenantId)
  if (left === 0) return
  onProgress(
    `Long queries read ${left} tables of ${name}, so their triggers are switched off and not dropped. Run this again to drop them.`,
  )
}

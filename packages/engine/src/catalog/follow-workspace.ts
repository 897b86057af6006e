import { parseDocument, repositoryOf, type Document, type ResourceRef } from '@skein/core'
import { HostWatchStore, type Transaction } from '@skein/store'
import { findCodeHost } from './find-code-host.ts'

const WORKSPACE = 'workspace'

/** From which repositories people can start agents, written where webhooks look for it, in the same transaction. */
export async function watchHosts(
  transaction: Transaction,
  { kind, name }: ResourceRef,
  document: Document,
): Promise<void> {
  if (kind !== WORKSPACE) return
  const { hostStarts, repos } = parseDocument(WORKSPACE, name, document)
  const places = []
  for (const { codeHost, url } of hostStarts ? repos : []) {
    const host = codeHost === '' ? undefined : await findCodeHost(transaction, codeHost)
    const repository = host && repositoryOf(host, url)
    if (repository) places.push({ codeHost, repository })
  }
  await new HostWatchStore(transaction).set(name, places)
}

export async function unwatchHosts(transaction: Transaction, { kind, name }: ResourceRef): Promise<void> {
  if (kind === WORKSPACE) await new HostWatchStore(transaction).set(name, [])
}

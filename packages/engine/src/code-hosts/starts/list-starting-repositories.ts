import { formatTimestamp, type listStartingRepositories as operation, type ResponseOf } from '@skein/contract'
import { listedWorkspaces, type Viewer } from '@skein/core'
import { HostWatchStore } from '@skein/store'
import { decodePageToken, encodePageToken, pageSizeOf, splitPage, type Page } from '../../paging.ts'
import type { EngineResources } from '../../resources.ts'

const LIST = 'starting-repositories'
const PLACE = /^[^\s\p{C}]+(?: [^\s\p{C}]+){3}$/u

/** Repositories whose issues start agents, and what keeps us from reading them. */
export async function listStartingRepositories(
  { database }: EngineResources,
  viewer: Viewer,
  tenantId: string,
  page: Page,
): Promise<ResponseOf<typeof operation>> {
  const [workspace = '', codeHost = '', owner = '', name = ''] = decodePageToken(LIST, page, PLACE) ?? []
  const pageSize = pageSizeOf(page)
  const after = { workspace, codeHost, repository: { owner, name } }
  const found = await database.readForTenant(tenantId, (transaction) =>
    new HostWatchStore(transaction).listAfter(after, pageSize + 1, listedWorkspaces(viewer)),
  )
  const { shown, last } = splitPage(found, pageSize)
  return {
    repositories: shown.map(({ lookAt, readUntil, repository, ...rest }) => ({
      ...rest,
      repository: `${repository.owner}/${repository.name}`,
      readTime: formatTimestamp(readUntil),
      nextReadTime: lookAt === 0 ? '' : formatTimestamp(lookAt),
    })),
    nextPageToken: last
      ? encodePageToken(LIST, [last.workspace, last.codeHost, last.repository.owner, last.repository.name])
      : '',
  }
}

import { Skein } from '@skein/client'
import type { FolderProfile } from '../profile/folder-profile.ts'
import { userAgentOf } from '../version.ts'

export function connectTo({ url, apiKey }: Pick<FolderProfile, 'url' | 'apiKey'>): Skein {
  return new Skein({ baseUrl: url, apiKey, userAgent: userAgentOf('skein-demo') })
}

import type { Skein } from '@skein/client'
import { defaultWorkspace } from '@skein/contract/facts'
import type { Profile } from './profile.ts'

/** For names without a workspace: SKEIN_WORKSPACE or the profile's, otherwise the one spawn would choose. */
export async function readDefaultWorkspace(skein: Skein, profile: Profile): Promise<string> {
  if (profile.workspace !== undefined) return profile.workspace
  const names: string[] = []
  for await (const { name } of skein.catalog.list('workspace')) names.push(name)
  return defaultWorkspace(names)
}

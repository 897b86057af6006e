import type { Skein } from '@skein/client'
import type { Profile } from './profile.ts'

/**
 * For a name without a workspace: SKEIN_WORKSPACE or the profile's; otherwise the one that a spawn without a
 * workspace goes to, which is the tenant's only one, or the one named default.
 */
export async function defaultWorkspace(skein: Skein, profile: Profile): Promise<string> {
  if (profile.workspace !== undefined) return profile.workspace
  const names: string[] = []
  for await (const { name } of skein.catalog.list('workspace')) names.push(name)
  const [own, ...others] = names.filter((name) => name !== 'default')
  return own !== undefined && others.length === 0 ? own : 'default'
}

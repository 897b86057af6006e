import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setting, type Environment } from './profile/environment.ts'

/**
 * Folder of Node's compile cache. In the user's own cache folder rather than Node's default in the temporary folder,
 * because its content is executed. Undefined without a home directory, which we don't create.
 */
export function compileCacheFolder(env: Environment): string | undefined {
  const home = setting(env, 'HOME') ?? homedir()
  const cache = setting(env, 'XDG_CACHE_HOME') ?? (existsSync(home) ? join(home, '.cache') : undefined)
  return cache && join(cache, 'skein', 'compiled')
}

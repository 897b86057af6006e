import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setting, type Environment } from './profile/environment.ts'

/**
 * Where what Node compiled is kept from one command to the next. In a folder of the person's own, unlike Node's default
 * among the temporary files: what lies there is run. None where there is no home, which is not for us to make.
 */
export function compileCacheFolder(env: Environment): string | undefined {
  const home = setting(env, 'HOME') ?? homedir()
  const cache = setting(env, 'XDG_CACHE_HOME') ?? (existsSync(home) ? join(home, '.cache') : undefined)
  return cache && join(cache, 'skein', 'compiled')
}

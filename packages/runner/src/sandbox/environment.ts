import { existsSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'

const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Given variables take precedence, but Node can be found in every sandbox. */
export function completeEnvironment(
  given: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>>,
): Record<string, string> {
  const path = given['PATH'] ?? standardPath
  const nodeDir = dirname(process.execPath)
  const hasNode = path.split(delimiter).some((dir) => dir === nodeDir)
  return { ...defaults, ...given, PATH: hasNode ? path : `${path}${delimiter}${nodeDir}` }
}

/** Absolute path of a system program. */
export function findSystemProgram(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/local/bin']
    .map((dir) => `${dir}/${name}`)
    .find((path) => existsSync(path))
}

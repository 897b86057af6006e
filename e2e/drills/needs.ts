import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program, and the Debian package that has it. */
export interface Need {
  readonly program: string
  readonly debian: string
  /** Where to look besides PATH. */
  readonly folders?: readonly string[]
}

export const HAPROXY: Need = { program: 'haproxy', debian: 'haproxy' }

/** Node may have been started without the administrator's folders in PATH. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** The program's path, if it is installed. */
export function findProgram({ program, folders = [] }: Need): string | undefined {
  const searched = [...folders, ...(process.env['PATH'] ?? '').split(delimiter), ...SYSTEM_FOLDERS]
  return searched.map((folder) => join(folder, program)).find(isExecutable)
}

export function requireProgram(need: Need): string {
  const path = findProgram(need)
  if (path === undefined) throw new Error(`${need.program} is not installed: apt-get install ${need.debian}`)
  return path
}

/** What must be installed first; empty if nothing is missing. */
export function missingPackages(needs: readonly Need[]): string[] {
  return needs.filter((need) => findProgram(need) === undefined).map(({ debian }) => debian)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

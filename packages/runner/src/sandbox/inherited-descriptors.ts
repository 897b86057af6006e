import { readdirSync, readFileSync } from 'node:fs'

/** O_CLOEXEC on Linux. */
const closeOnExec = 0o2000000

/**
 * Descriptors this process was started with, which its children would inherit, including programs in sandboxes. Node
 * handles only the lowest ones.
 */
export function listInheritedDescriptors(): number[] {
  let names: string[]
  try {
    names = readdirSync('/proc/self/fdinfo')
  } catch {
    return []
  }
  return names.map(Number).filter((fd) => fd > 2 && (readFlags(fd) & closeOnExec) === 0)
}

function readFlags(fd: number): number {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')
    return parseInt(/^flags:\s*(\d+)$/m.exec(info)?.[1] ?? '', 8)
  } catch {
    // The one used for listing the directory is closed by now.
    return closeOnExec
  }
}

import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'

/**
 * Removes what an agent left behind. Uses the system's tools, because they descend by descriptors: no link is
 * followed, and a path may be longer than the system's limit.
 */
export async function removeTree(dir: string): Promise<void> {
  await runTool('chmod', ['-R', 'u+rwx', '--', dir])
  await runTool('rm', ['-rf', '--', dir])
  if (await stat(dir).catch(() => undefined)) throw new Error(`A folder could not be removed: ${dir}`)
}

/** Disk usage of each directory, in bytes. Only what is readable counts. */
export async function measureTrees(dirs: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>()
  for (const dir of dirs) {
    const kibibytes = Number.parseInt(await runTool('du', ['-sk', '--', dir]), 10)
    sizes.set(dir, Number.isNaN(kibibytes) ? 0 : kibibytes * 1024)
  }
  return sizes
}

function runTool(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve) => {
    child.on('error', () => resolve(''))
    child.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

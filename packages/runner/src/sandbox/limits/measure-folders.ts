import { execFile } from 'node:child_process'
import { lstat, opendir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** File systems limit the number of files, and an empty file takes no block, so each counts as one. */
export const BYTES_PER_INODE = 4096

export interface FolderSize {
  readonly bytes: number
  /** Whether everything was readable: an agent may close a folder to hide its size. */
  readonly isWhole: boolean
}

/** Disk usage of folders. Links are not followed. */
export async function measureFolders(dirs: readonly string[]): Promise<FolderSize> {
  const size = await sumUp(dirs)
  if (size.isWhole) return size
  // Top down: `find` descends only after opening a folder.
  const closed = ['-type', 'd', '!', '-perm', '-u=rx', '-exec', 'chmod', 'u+rx', '{}', ';']
  await runTool('find', ['-P', ...dirs, ...closed])
  return sumUp(dirs)
}

/** Starting a program takes longer than looking at as many files. */
const FEW = 64

/**
 * The same for folders that nobody is changing, or a link could take the place of a folder in the meantime. Undefined
 * if there are too many files, or not all can be read.
 */
export async function measureFewFiles(dirs: readonly string[]): Promise<FolderSize | undefined> {
  /** By inode: a file with several names counts once. */
  const sizes = new Map<string, number>()
  const folders = [...dirs]
  // Names, because a file can have any number of them.
  let seen = dirs.length
  try {
    for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
      const own = await lstat(folder)
      if (!own.isDirectory()) return undefined
      sizes.set(`${own.dev} ${own.ino}`, own.blocks)
      const entries = await opendir(folder, { bufferSize: FEW })
      for await (const entry of entries) {
        seen += 1
        if (seen > FEW) return undefined
        if (entry.isDirectory()) folders.push(join(folder, entry.name))
        else {
          const file = await lstat(join(folder, entry.name))
          sizes.set(`${file.dev} ${file.ino}`, file.blocks)
        }
      }
    }
  } catch {
    return undefined
  }
  const blocks = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  return { bytes: Math.max(blocks * 512, sizes.size * BYTES_PER_INODE), isWhole: true }
}

async function sumUp(dirs: readonly string[]): Promise<FolderSize> {
  const blocks = await runTool('du', ['-skc', '--', ...dirs])
  // Not supported by every `du`.
  const inodes = await runTool('du', ['--inodes', '-sc', '--', ...dirs])
  return {
    bytes: Math.max(readTotal(blocks.stdout) * 1024, readTotal(inodes.stdout) * BYTES_PER_INODE),
    isWhole: !blocks.stderr.includes('ermission denied'),
  }
}

function readTotal(output: string): number {
  const total = Number.parseInt(output.trimEnd().split('\n').at(-1) ?? '', 10)
  return Number.isNaN(total) ? 0 : total
}

/** Size of deleted files that a process still has open. */
export async function measureUnlinked(pids: readonly number[], device: number): Promise<number> {
  const sizes = new Map<number, number>()
  for (const pid of pids) {
    const dir = `/proc/${pid}/fd`
    for (const fd of await readdir(dir).catch(() => [])) {
      const file = await stat(`${dir}/${fd}`).catch(() => undefined)
      if (file?.isFile() === true && file.nlink === 0 && file.dev === device)
        sizes.set(file.ino, file.blocks * 512)
    }
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

function runTool(program: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const options = { env: { PATH: process.env['PATH'], LC_ALL: 'C' }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve) => {
    execFile(program, args, options, (_error, stdout, stderr) => resolve({ stdout, stderr }))
  })
}

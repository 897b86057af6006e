import { spawn } from 'node:child_process'
import { killGroup } from '../workspace/run-git.ts'

export interface FilesQuery {
  readonly mirrorDir: string
  readonly commit: string
  readonly env: Readonly<Record<string, string>>
  readonly maxFiles: number
  readonly timeoutMs: number
}

/**
 * The files that commits change which no branch and no tag has yet: right for a new branch, for a forced push,
 * and for a merge of someone else's work. Asked while the push waits, so "yet" is before it. Refs of saved work
 * do not count, because they hold the agent's own commits before it pushes them.
 */
export function listPushedFiles({
  mirrorDir,
  commit,
  env,
  maxFiles,
  timeoutMs,
}: FilesQuery): Promise<string[]> {
  const args = ['-z', '--format=', '--name-only', '--no-renames', '--diff-merges=remerge']
  const child = spawn(
    'git',
    ['--git-dir', mirrorDir, 'log', ...args, commit, '--not', '--branches', '--tags'],
    {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const files = new Set<string>()
  let rest = Buffer.alloc(0)
  const end = () => killGroup(child.pid)
  const timer = setTimeout(end, timeoutMs)
  child.stdout.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (let at = rest.indexOf(0); at >= 0; at = rest.indexOf(0)) {
      // Git ends its empty header of a commit with a line break of its own.
      const name = rest.subarray(0, at).toString().replace(/^\n+/, '')
      rest = rest.subarray(at + 1)
      if (name !== '' && files.size < maxFiles) files.add(name)
    }
    if (files.size >= maxFiles) end()
  })
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      resolve([...files].sort())
    }
    child.on('error', finish)
    child.on('close', finish)
  })
}

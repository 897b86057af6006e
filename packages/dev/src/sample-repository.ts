import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { DevError } from './dev-error.ts'

const README = `# Sample

A small repository for trying out Skein. Agents of the workspace \`sample\` clone it, and push their work to branches
named \`skein/<agent>\`. See them with \`git branch\` in this folder.
`

const GREET = `export function greet(name) {
  return \`Hello, \${name}!\`
}
`

export function createSampleRepository(path: string): Promise<void> {
  return createRepository(path, async (seed) => {
    await writeFile(join(seed, 'README.md'), README)
    await writeFile(join(seed, 'greet.js'), GREET)
  })
}

/**
 * Bare, because agents push to it. Renamed when complete, so that an interrupted one doesn't pass for a repository.
 */
export async function createRepository(
  path: string,
  writeFiles: (folder: string) => Promise<void>,
): Promise<void> {
  if (existsSync(path)) return
  const scratch = await mkdtemp(join(dirname(path), 'repository-'))
  try {
    const seed = join(scratch, 'seed')
    await git('init', '--quiet', '--initial-branch=main', seed)
    await writeFiles(seed)
    await git('-C', seed, 'add', '--all')
    await git('-C', seed, 'commit', '--quiet', '--message', 'Begin')
    const bare = join(scratch, 'bare.git')
    await git('clone', '--quiet', '--bare', seed, bare)
    // It would refer to a folder that is about to be removed.
    await git('-C', bare, 'remote', 'remove', 'origin')
    await rename(bare, path)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Lets a group push to it. The owner stays the same: git refuses repositories owned by another user. */
export async function shareRepository(path: string, gid: number): Promise<void> {
  await git('-C', path, 'config', 'core.sharedRepository', 'group')
  await promisify(execFile)('chgrp', ['-RhP', String(gid), '--', path])
  await promisify(execFile)('chmod', ['-R', 'g+rwX', '--', path])
  await promisify(execFile)('find', [path, '-type', 'd', '-exec', 'chmod', 'g+s', '{}', '+'])
}

async function git(...args: string[]): Promise<void> {
  // None of the user's own settings: signing, hooks and templates could prompt or change the result.
  const env = {
    PATH: process.env['PATH'],
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Skein',
    GIT_AUTHOR_EMAIL: 'skein@localhost',
    GIT_COMMITTER_NAME: 'Skein',
    GIT_COMMITTER_EMAIL: 'skein@localhost',
  }
  try {
    await promisify(execFile)('git', args, { env })
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing) throw new DevError('git is not installed. Agents need it to save their work.')
    throw error
  }
}

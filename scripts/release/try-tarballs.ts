import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runNpxDev } from '../../packages/cli/test/dev/dev-process.ts'
import { followFirstAgent } from '../../packages/cli/test/dev/fresh-clone.ts'
import { ask } from './run.ts'
import { readManifest, tarballName, type Manifest } from './workspaces.ts'

/** Follows a user's steps: an empty folder, `npm install`, `skein dev`, a first agent until it ends. */
export async function tryTarballs(
  { root, out, folder }: { root: string; out: string; folder: string },
  manifests: readonly Manifest[],
): Promise<string> {
  const project = join(folder, 'project')
  await mkdir(join(project, 'home'), { recursive: true })
  await writeFile(join(project, 'package.json'), '{ "private": true }\n')
  // All from files: packages that need each other must not look for this version in the registry, where it does not
  // exist yet.
  const tarballs = manifests.map((manifest) => join(out, tarballName(manifest)))
  const sdk = '@anthropic-ai/claude-agent-sdk'
  const { devDependencies = {} } = await readManifest(root)
  await ask(
    project,
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    ...tarballs,
    `${sdk}@${devDependencies[sdk]}`,
  )
  const dev = await runNpxDev(project)
  try {
    const output = await followFirstAgent(project, 'Write down what this repository is about')
    const end = output.trim().split('\n').at(-1) ?? ''
    if (!end.includes('completed')) throw new Error(`The first agent did not complete:\n${output}`)
    return end
  } finally {
    dev.signal('SIGINT')
    await dev.exitCode
  }
}

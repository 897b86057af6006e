import { join } from 'node:path'
import { ask, show } from './run.ts'
import { tarballName, type Manifest } from './workspaces.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Only a workflow of the repository can prove where a package comes from (npm's provenance), so nothing else
 * publishes. The registry rejects a proof for a repository other than the manifest's; this checks it before anything
 * is published.
 */
export function requireWorkflow(env: Environment, repositoryUrl: string): void {
  if (env['GITHUB_ACTIONS'] !== 'true' || env['ACTIONS_ID_TOKEN_REQUEST_URL'] === undefined) {
    throw new Error('Only the workflow "Release" publishes: push the tag, and it starts.')
  }
  const here = `${env['GITHUB_SERVER_URL']}/${env['GITHUB_REPOSITORY']}`
  if (repositoryUrl !== `git+${here}.git`) {
    throw new Error(`package.json names the repository ${repositoryUrl}, but this is ${here}.`)
  }
}

/** Publishes what the registry does not have yet, so that an interrupted release can continue. */
export async function publishTarballs(out: string, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) {
    const { name, version } = manifest
    if (await isPublished(out, `${name}@${version}`)) {
      console.log(`published before: ${name}@${version}`)
      continue
    }
    await show(out, 'npm', 'publish', join(out, tarballName(manifest)), '--provenance', '--access', 'public')
  }
}

async function isPublished(cwd: string, specifier: string): Promise<boolean> {
  return ask(cwd, 'npm', 'view', specifier, 'version').then(
    (version) => version !== '',
    (error: Error) => {
      if (error.message.includes('E404')) return false
      throw error
    },
  )
}

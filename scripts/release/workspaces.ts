import { glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface Workspace {
  /** Relative to the root of the repository. */
  readonly folder: string
  readonly manifest: Manifest
}

export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
}

export async function readWorkspaces(root: string): Promise<Workspace[]> {
  const folders: string[] = []
  for await (const path of glob('packages/*/package.json', { cwd: root })) folders.push(dirname(path))
  return Promise.all(
    folders.toSorted().map(async (folder) => ({ folder, manifest: await readManifest(join(root, folder)) })),
  )
}

/** The published packages in dependency order, so that an install during the release finds all of them. */
export function inPublishOrder(workspaces: readonly Workspace[]): Manifest[] {
  const open = workspaces.map(({ manifest }) => manifest).filter((manifest) => manifest.private !== true)
  const ordered: Manifest[] = []
  while (open.length > 0) {
    const names = new Set(open.map(({ name }) => name))
    const next = open.findIndex(
      ({ dependencies = {} }) => !Object.keys(dependencies).some((name) => names.has(name)),
    )
    if (next === -1) throw new Error(`These packages need each other: ${[...names].join(', ')}.`)
    ordered.push(...open.splice(next, 1))
  }
  return ordered
}

/** The version shared by all published packages. */
export function theVersion(workspaces: readonly Workspace[]): string {
  const versions = new Set(inPublishOrder(workspaces).map(({ version }) => version))
  const [version] = versions
  if (version === undefined || versions.size > 1) {
    throw new Error(`All packages have one version, but there are: ${[...versions].join(', ')}.`)
  }
  return version
}

export function tarballName({ name, version }: Manifest): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}

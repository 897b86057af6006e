import { dirname, join, relative } from 'node:path'

/** A directory of the cgroup file system below which a group for a sandbox may be made. */
export interface CgroupPlace {
  readonly dir: string
  readonly limits: readonly ('processes' | 'memory')[]
  /** Version 2: one tree for all controllers, which have to be switched on for the children. */
  readonly isUnified: boolean
}

export interface CgroupSurroundings {
  /** The text of /proc/self/cgroup. */
  readonly membership: string
  /** The text of /proc/self/mountinfo. */
  readonly mounts: string
  readonly isRoot: boolean
}

/** In order of preference. That they are writable is for the caller to find out. */
export function findCgroupPlaces({ membership, mounts, isRoot }: CgroupSurroundings): CgroupPlace[] {
  const places: CgroupPlace[] = []
  for (const line of membership.split('\n')) {
    const [, id, controllers, path] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? []
    if (path === undefined || path.startsWith('/..')) continue
    if (id === '0') places.push(...findUnified(path, mounts, isRoot))
    else if (controllers?.split(',').includes('pids')) places.push(...findVersion1(path, mounts))
  }
  return places
}

function findUnified(path: string, mounts: string, isRoot: boolean): CgroupPlace[] {
  const own = resolvePath(path, mounts, (type) => type === 'cgroup2')
  if (!own) return []
  const place = { limits: ['processes', 'memory'], isUnified: true } as const
  // A group with processes has no limited children, so a service that was given a subtree lives in a subgroup of it.
  // Root may write everywhere: for it that would be no sign that the parent is ours.
  const isParentOurs = !isRoot && own.dir !== own.mountPoint
  return [{ dir: own.dir, ...place }, ...(isParentOurs ? [{ dir: dirname(own.dir), ...place }] : [])]
}

/** Version 1 is on its way out: it gives only what root can limit in no other way. */
function findVersion1(path: string, mounts: string): CgroupPlace[] {
  const own = resolvePath(path, mounts, (type, options) => type === 'cgroup' && options.includes('pids'))
  return own ? [{ dir: own.dir, limits: ['processes'], isUnified: false }] : []
}

function resolvePath(
  path: string,
  mounts: string,
  isWanted: (type: string, options: readonly string[]) => boolean,
): { dir: string; mountPoint: string } | undefined {
  for (const line of mounts.split('\n')) {
    // "id parent device root mount-point options … - type source options"
    const [mount = '', fileSystem = ''] = line.split(' - ')
    const [, , , root = '', mountPoint = ''] = mount.split(' ')
    const [type = '', , options = ''] = fileSystem.split(' ')
    if (!isWanted(type, options.split(','))) continue
    const below = relative(root, path)
    if (!below.startsWith('..')) return { dir: join(mountPoint, below), mountPoint }
  }
  return undefined
}

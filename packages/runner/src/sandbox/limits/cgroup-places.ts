import { dirname, join, relative } from 'node:path'

/** What the kernel can limit for all processes of a sandbox together, by its controllers. */
const LIMIT_OF = { cpu: 'cpus', memory: 'memoryMib', pids: 'processes' } as const
type Controller = keyof typeof LIMIT_OF
export type CgroupLimit = (typeof LIMIT_OF)[Controller]

export const controllers: readonly Controller[] = ['cpu', 'memory', 'pids']

/** A directory of the cgroup file system below which a group for a sandbox may be made. */
export interface CgroupPlace {
  readonly dir: string
  readonly limits: readonly CgroupLimit[]
  /** Version 2: one tree for all controllers, which have to be switched on for the children. */
  readonly isUnified: boolean
}

export interface CgroupSurroundings {
  /** The text of /proc/self/cgroup. */
  readonly membership: string
  /** The text of /proc/self/mountinfo. */
  readonly mounts: string
  readonly isRoot: boolean
  readonly pid: number
}

/** What a runner that was root has left to the user that it became. */
export function delegatedName(pid: number): string {
  return `skein-runner-${pid}`
}

/** In order of preference. That they are writable is for the caller to find out. */
export function findCgroupPlaces({ membership, mounts, isRoot, pid }: CgroupSurroundings): CgroupPlace[] {
  return findOwnGroups(membership, mounts).flatMap(({ mountPoint, ...own }) => {
    // Version 1 lets a process stay where it is and have children beside itself.
    if (!own.isUnified) return [{ ...own, dir: join(own.dir, delegatedName(pid)) }, own]
    // A group with processes has no limited children, so a service that was given a subtree lives in a subgroup of it.
    // Root may write everywhere: for it that would be no sign that the parent is ours.
    const isParentOurs = !isRoot && own.dir !== mountPoint
    return [own, ...(isParentOurs ? [{ ...own, dir: dirname(own.dir) }] : [])]
  })
}

/** The groups that this process itself is in and that can limit something. */
export function findOwnGroups(
  membership: string,
  mounts: string,
): (CgroupPlace & { readonly mountPoint: string })[] {
  return membership.split('\n').flatMap((line) => {
    const [, id, names = '', path] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? []
    if (path === undefined || path.startsWith('/..')) return []
    const isUnified = id === '0'
    const own = isUnified ? controllers : controllers.filter((name) => names.split(',').includes(name))
    const [first] = own
    if (first === undefined) return []
    const found = resolvePath(path, mounts, (type, options) =>
      isUnified ? type === 'cgroup2' : type === 'cgroup' && options.includes(first),
    )
    return found ? [{ ...found, limits: own.map((name) => LIMIT_OF[name]), isUnified }] : []
  })
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

import { dirname, join, relative } from 'node:path'

/** What the kernel can limit for all processes of a sandbox together, by controller. */
const LIMIT_OF = { cpu: 'cpus', memory: 'memoryMib', pids: 'processes' } as const
type Controller = keyof typeof LIMIT_OF
export type CgroupLimit = (typeof LIMIT_OF)[Controller]

export const controllers: readonly Controller[] = ['cpu', 'memory', 'pids']

/** A directory in the cgroup file system where groups for sandboxes can be created. */
export interface CgroupPlace {
  readonly dir: string
  readonly limits: readonly CgroupLimit[]
  /** Version 2: one tree for all controllers, which must be enabled for the children. */
  readonly isUnified: boolean
}

export interface CgroupSurroundings {
  /** Content of /proc/self/cgroup. */
  readonly membership: string
  /** Content of /proc/self/mountinfo. */
  readonly mounts: string
  readonly isRoot: boolean
  readonly pid: number
}

/** The group a runner started as root leaves to the user it became. */
export function delegatedName(pid: number): string {
  return `skein-runner-${pid}`
}

/** In order of preference. The caller must check that they are writable. */
export function findCgroupPlaces({ membership, mounts, isRoot, pid }: CgroupSurroundings): CgroupPlace[] {
  return findOwnGroups(membership, mounts).flatMap(({ mountPoint, ...own }) => {
    // In version 1, a process can stay where it is and have child groups next to it.
    if (!own.isUnified) return [{ ...own, dir: join(own.dir, delegatedName(pid)) }, own]
    // A group with processes cannot have limited children, so a service with a delegated subtree is in a subgroup of
    // it. Root can write everywhere, so for root this wouldn't mean that the parent is ours.
    const isParentOurs = !isRoot && own.dir !== mountPoint
    return [own, ...(isParentOurs ? [{ ...own, dir: dirname(own.dir) }] : [])]
  })
}

/** The groups this process is in that can limit something. */
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

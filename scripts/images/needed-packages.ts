/** The parts of package-lock.json that say which package needs which. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

interface LockedPackage {
  readonly version?: string
  readonly link?: boolean
  readonly resolved?: string
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface NeededPackage {
  /** Its folder in the repository: `packages/core` or `node_modules/pg`. */
  readonly place: string
  readonly name: string
  readonly version: string
  readonly isOurs: boolean
}

/**
 * Everything that the given package needs to run, including itself, in order of place. npm can't install this from
 * our lock: for a workspace, `npm ci --omit=dev` also installs what the other workspaces need for development.
 */
export function findNeededPackages(lock: Lock, start: string): NeededPackage[] {
  const found = new Map<string, NeededPackage>()
  const visit = (place: string): void => {
    const locked = lock.packages[place]
    if (!locked || found.has(place) || !suitsThisMachine(locked)) return
    const isOurs = !place.includes('node_modules/')
    const name = isOurs ? place.replace('packages/', '@skein/') : (place.split('node_modules/').at(-1) ?? '')
    found.set(place, { place, name, version: locked.version ?? '', isOurs })
    for (const needed of Object.keys({ ...locked.dependencies, ...neededPeers(locked) })) {
      const target = resolvePlace(lock, place, needed)
      if (target === undefined) throw new Error(`${place} needs ${needed}, which is not in the lock`)
      visit(target)
    }
    for (const wanted of Object.keys(locked.optionalDependencies ?? {})) {
      const target = resolvePlace(lock, place, wanted)
      if (target !== undefined) visit(target)
    }
  }
  visit(start)
  if (found.size === 0) throw new Error(`${start} is not in the lock`)
  return [...found.values()].sort((a, b) => (a.place < b.place ? -1 : 1))
}

function neededPeers({ peerDependencies = {}, peerDependenciesMeta = {} }: LockedPackage): object {
  return Object.fromEntries(
    Object.entries(peerDependencies).filter(([name]) => peerDependenciesMeta[name]?.optional !== true),
  )
}

function suitsThisMachine({ os, cpu }: LockedPackage): boolean {
  return (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch))
}

/** As Node looks for a package: in the folder itself, then in each one above. */
function resolvePlace(lock: Lock, from: string, name: string): string | undefined {
  for (let folder: string | undefined = from; folder !== undefined; folder = folderAbove(folder)) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    const locked = lock.packages[place]
    if (locked) return locked.link === true ? locked.resolved : place
  }
  return undefined
}

function folderAbove(place: string): string | undefined {
  if (place === '') return undefined
  const end = place.lastIndexOf('/node_modules/')
  return end === -1 ? '' : place.slice(0, end)
}

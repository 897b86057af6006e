interface Ports {
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
  /** Whether the service responds: reloading without it would lose the page. */
  readonly isServiceThere: () => Promise<boolean>
  readonly reload: () => void
}

const KEY = 'skein-reloaded-for'

/** A missing part of the app was replaced by an upgrade, so reload. At most once per missing part. */
export async function reloadForMissing(part: string, ports: Ports): Promise<void> {
  if (ports.storage.getItem(KEY) === part) return
  if (!(await ports.isServiceThere())) return
  ports.storage.setItem(KEY, part)
  ports.reload()
}

export function reloadWhenOutdated(): void {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    void reloadForMissing(payload.message, {
      storage: window.sessionStorage,
      isServiceThere,
      reload: () => window.location.reload(),
    })
  })
}

async function isServiceThere(): Promise<boolean> {
  try {
    return (await fetch('/', { method: 'HEAD', cache: 'no-store' })).ok
  } catch {
    return false
  }
}

import { useCallback, useMemo, useState } from 'react'

/** Which items are expanded. Kept outside the rows, because rows out of sight are removed. */
export interface OpenItems {
  readonly isOpen: (key: number) => boolean
  readonly toggle: (key: number) => void
  readonly open: (key: number) => void
}

export function useOpenItems(): OpenItems {
  const [keys, setKeys] = useState<ReadonlySet<number>>(new Set())
  const toggle = useCallback(
    (key: number) =>
      setKeys((before) => (before.has(key) ? without(before, key) : new Set([...before, key]))),
    [],
  )
  const open = useCallback((key: number) => setKeys((before) => new Set([...before, key])), [])
  return useMemo(() => ({ isOpen: (key) => keys.has(key), toggle, open }), [keys, toggle, open])
}

function without(keys: ReadonlySet<number>, gone: number): ReadonlySet<number> {
  return new Set([...keys].filter((key) => key !== gone))
}

import type { AddressRange } from '@skein/core'
import { bubblewrapSandbox } from './bubblewrap-sandbox.ts'
import { processSandbox } from './process-sandbox.ts'
import type { SandboxLevel, SandboxProvider } from './sandbox.ts'

/** With the ranges that agents with an open network may reach although they are not public. */
export function findSandboxProvider(
  level: SandboxLevel,
  allowedRanges: readonly AddressRange[] = [],
): SandboxProvider {
  switch (level) {
    case 'process':
      return processSandbox()
    case 'bubblewrap':
      return bubblewrapSandbox(allowedRanges)
    case 'container':
    case 'remote':
      return missingProvider(level)
  }
}

/** The levels that the interface is made for, but which nobody has written yet. */
function missingProvider(level: SandboxLevel): SandboxProvider {
  const reason = `The sandbox level "${level}" is not built in: choose "bubblewrap", or "process" for development.`
  return {
    level,
    probe: async () => ({ isUsable: false, reason }),
    create: async () => {
      throw new Error(reason)
    },
  }
}

import { bubblewrapSandbox } from './bubblewrap-sandbox.ts'
import { processSandbox } from './process-sandbox.ts'
import type { SandboxLevel, SandboxProvider } from './sandbox.ts'

export function findSandboxProvider(level: SandboxLevel): SandboxProvider {
  switch (level) {
    case 'process':
      return processSandbox()
    case 'bubblewrap':
      return bubblewrapSandbox()
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

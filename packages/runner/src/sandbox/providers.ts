import { bubblewrapSandbox } from './bubblewrap/bubblewrap-sandbox.ts'
import { DiskWatch } from './limits/disk-watch.ts'
import { processSandbox } from './process-sandbox.ts'
import type { SandboxHost, SandboxLevel, SandboxProvider } from './sandbox.ts'

export function findSandboxProvider(level: SandboxLevel, host: Partial<SandboxHost> = {}): SandboxProvider {
  const { allowedRanges = [], disk = new DiskWatch(), ready = { port: 0, count: 0 } } = host
  switch (level) {
    case 'process':
      return processSandbox(disk)
    case 'bubblewrap':
      return bubblewrapSandbox({ allowedRanges, disk, ready })
  }
}

import type { SandboxLimits } from '../src/sandbox/sandbox.ts'

/** For tests that are not about limits: they run on every host, even where the kernel gives the runner none. */
export const unlimited: SandboxLimits = { cpus: 0, memoryMib: 0, diskMib: 0, processes: 0, fileSizeMib: 1024 }

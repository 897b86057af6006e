import type { CgroupLimit } from './cgroup-places.ts'

/** A file of a group and what is written to it. */
export interface CgroupSetting {
  readonly file: string
  readonly value: string
  /** Without it the limit holds less well, but it holds. */
  readonly isOptional?: boolean
}

/** The kernel's own default: how long a group that has used up its share waits at most. */
const CPU_PERIOD_US = 100_000
/** The least that the kernel takes. */
const MIN_QUOTA_US = 1_000

/** What limits a group, in this order. */
export function settingsFor(limit: CgroupLimit, value: number, isUnified: boolean): CgroupSetting[] {
  switch (limit) {
    case 'processes':
      return [{ file: 'pids.max', value: String(value) }]
    case 'cpus': {
      const quota = String(Math.max(MIN_QUOTA_US, Math.round(value * CPU_PERIOD_US)))
      const period = String(CPU_PERIOD_US)
      if (isUnified) return [{ file: 'cpu.max', value: `${quota} ${period}` }]
      return [
        { file: 'cpu.cfs_period_us', value: period },
        { file: 'cpu.cfs_quota_us', value: quota },
      ]
    }
    case 'memoryMib': {
      const bytes = String(value * 1024 * 1024)
      // What exceeds the memory would go on in the swap.
      if (isUnified) {
        return [
          { file: 'memory.max', value: bytes },
          { file: 'memory.swap.max', value: '0', isOptional: true },
        ]
      }
      return [
        { file: 'memory.limit_in_bytes', value: bytes },
        { file: 'memory.memsw.limit_in_bytes', value: bytes, isOptional: true },
      ]
    }
  }
}

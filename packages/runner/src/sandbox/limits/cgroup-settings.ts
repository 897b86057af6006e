import type { CgroupLimit } from './cgroup-places.ts'

/** A file of a group and the value to write. */
export interface CgroupSetting {
  readonly file: string
  readonly value: string
  /** Without it the limit still works, but less well. */
  readonly isOptional?: boolean
}

/** The kernel's default: the maximum wait of a group that has used up its share. */
const CPU_PERIOD_US = 100_000
/** The kernel's minimum. */
const MIN_QUOTA_US = 1_000

/** The settings for a limit, in this order. */
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
      // Without this, excess memory would go to swap.
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

import { describeLimits } from './hostile-limits.ts'

// An ordinary user without a delegated cgroup.
if (process.getuid?.() === 0) {
  process.setgroups?.([])
  process.setgid?.(60_970)
  process.setuid?.(60_970)
}
describeLimits('a user without cgroups', ['diskMib', 'processes'])

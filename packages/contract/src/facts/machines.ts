/** The limits of a vm-profile. 0 means no limit. */
export const MACHINE_LIMITS = ['cpus', 'memoryMib', 'diskMib', 'processes'] as const
export type MachineLimit = (typeof MACHINE_LIMITS)[number]

/** The smallest useful values. */
export const LEAST_MACHINE: Readonly<Record<MachineLimit, number>> = {
  cpus: 0.01,
  memoryMib: 64,
  diskMib: 64,
  processes: 16,
}

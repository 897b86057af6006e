/** The fields of a vm-profile that limit what a run may use. 0 stands for no limit. */
export const MACHINE_LIMITS = ['cpus', 'memoryMib', 'diskMib', 'processes'] as const
export type MachineLimit = (typeof MACHINE_LIMITS)[number]

/** The least that makes sense. */
export const LEAST_MACHINE: Readonly<Record<MachineLimit, number>> = {
  cpus: 0.01,
  memoryMib: 64,
  diskMib: 64,
  processes: 16,
}

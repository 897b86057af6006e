export { backendName } from './facts/backends.ts'
export { LEAST_MACHINE, MACHINE_LIMITS, type MachineLimit } from './facts/machines.ts'
export { matchesModel } from './facts/matches-model.ts'
export {
  isAtRest,
  isTerminal,
  PHASE_BY_NAME,
  PHASE_NAMES,
  phaseName,
  TERMINAL_PHASES,
  type Phase,
  type PhaseName,
  type TerminalPhase,
} from './facts/phases.ts'
export {
  grantableRoles,
  mustJustify,
  PERMISSIONS,
  permissionsOf,
  ROLES,
  type Permission,
  type Role,
} from './facts/roles.ts'
export { REFERENCE } from './facts/schema-marks.ts'
export { defaultWorkspace } from './facts/workspaces.ts'

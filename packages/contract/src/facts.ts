export { agentKey } from './facts/agents.ts'
export {
  formatKey,
  formatKeyId,
  KEY_PREFIXES,
  parseKey,
  SIGN_IN_CODE_PREFIX,
  type KeyPrefix,
  type ParsedKey,
} from './facts/api-key.ts'
export { backendName } from './facts/backends.ts'
export { isEventType } from './facts/event-types.ts'
export { isLabelName, MAX_LABEL_VALUE_LENGTH, MAX_LABELS } from './facts/labels.ts'
export { LEAST_MACHINE, MACHINE_LIMITS, type MachineLimit } from './facts/machines.ts'
export { matchesModel } from './facts/matches-model.ts'
export { isName, MAX_DEPTH, MAX_NAME_LENGTH } from './facts/names.ts'
export { isForPeople, PEOPLE_TYPES, TOPICS, type PeopleType, type Topic } from './facts/notifications.ts'
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
  isDividedByTeams,
  mustJustify,
  PERMISSIONS,
  permissionsInTeam,
  permissionsOf,
  ROLES,
  TEAM_ROLES,
  type Permission,
  type Role,
  type TeamRole,
} from './facts/roles.ts'
export { PROVIDER_NAMES, providerName, providerNamed, PROVIDERS, type Provider } from './facts/providers.ts'
export {
  INVITATION_CODE_PATTERN,
  INVITATION_CODE_PREFIX,
  INVITATION_ROLES,
  type InvitationState,
} from './facts/invitations.ts'
export { ConfigError, readSecret } from './facts/read-secret.ts'
export { REFERENCE } from './facts/schema-marks.ts'
export {
  formatLoginCode,
  LINK_STATE_PREFIX,
  LOGIN_CODE_LENGTH,
  LOGIN_CODE_LETTERS,
  parseLoginCode,
  SESSION_KINDS,
  type SessionKind,
} from './facts/sessions.ts'
export { defaultWorkspace } from './facts/workspaces.ts'
export { isWalPosition, laterPosition, POSITION_HEADER, type WalPosition } from './facts/position.ts'
export { isUuid } from './facts/uuid.ts'

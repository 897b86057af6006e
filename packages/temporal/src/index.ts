export { createActivities, type SkeinActivities } from './activities.ts'
export type { AgentAnswer } from './agent-answer.ts'
export type { AgentWork } from './agent-work.ts'
export { stopOrphans, type OrphanOptions } from './stop-orphans.ts'

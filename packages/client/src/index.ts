export type { AgentFilter, AgentReference } from './agent-filter.ts'
export { formatAgentName, parseAgentName, type AgentAddress } from './agent-name.ts'
export type {
  AgentListOptions,
  FollowUpPageOptions,
  ContinueOptions,
  DiffPageOptions,
  SendOptions,
  StopOptions,
  TimelineOptions,
} from './agent-options.ts'
export type { AutomationOptions } from './automation.ts'
export { phaseName, tokensOf, type AgentResult, type PhaseName, type Tokens } from './agent-result.ts'
export { Agent, SpawnedAgent } from './agent.ts'
export {
  Catalog,
  type CatalogListOptions,
  type CatalogOptions,
  type CatalogPageOptions,
  type PatchOptions,
  type Resource,
  type ResourceHistoryPage,
  type ResourceVersion,
  type WriteOptions,
} from './catalog.ts'
export type { RequestOptions } from './call/connection.ts'
export type { CatalogDocument } from './document-codec.ts'
export {
  SkeinApiError,
  SkeinClientError,
  SkeinConnectionError,
  SkeinTimeoutError,
  type ErrorDetail,
  type FieldViolation,
} from './errors.ts'
export type { SkeinOptions } from './environment-options.ts'
export type { FleetFilter, FleetListOptions, FleetSummaryOptions, FleetWatchOptions } from './fleet.ts'
export type { WatchOptions, WatchState } from './stream/follow-stream.ts'
// The API's types. Names exported above take precedence over the same names here.
export type * from './generated/types.ts'
export { Integrations, type DeliveryPageOptions } from './integrations.ts'
export { isAsking, isTerminal } from './phase.ts'
export type { OutputSchema } from './plain-settings.ts'
export type { Retry, SenderOptions as TransportOptions } from './call/send-call.ts'
export {
  Skein,
  type SignOutOptions,
  type UnlinkOptions,
  type AuditExportOptions,
  type AuditFilter,
  type AuditPageOptions,
} from './skein.ts'
export type { AuditWatchFilter, AuditWatchOptions } from './stream/watch-audit.ts'
export { Schedules } from './schedules.ts'
export type { SpawnFields } from './spawn-fields.ts'
export {
  createTransport,
  type CallableOperation,
  type CallOptions,
  type Transport,
} from './call/transport.ts'
export { Tenants, type DeleteTenantOptions, type TenantOptions } from './tenants.ts'
export { Triggers, type TriggerSample } from './triggers.ts'
export { usageToCsv, type UsageOptions } from './usage.ts'
export { workloadKey, type WorkloadOptions } from './workload-key.ts'
export { verifyWebhook, WebhookVerificationError, type WebhookEvent } from './verify-webhook.ts'
export type { WaitOptions } from './wait-for-agent.ts'

// Made by `npm run generate` from openapi.json. Do not edit.

import type {
  AcceptInvitationRequest,
  AcceptInvitationResponse,
  AgentEntry,
  AgentRequest,
  AgentStatus,
  AuditEvent,
  ClearFollowUpsRequest,
  ClearFollowUpsResponse,
  CommentOnDiffRequest,
  CommentOnDiffResponse,
  CreateInvitationRequest,
  CreateInvitationResponse,
  CreateSignInLinkRequest,
  CreateTasksRequest,
  CreateTenantRequest,
  DecideLoginRequest,
  DecideLoginResponse,
  DeleteResourceResponse,
  EndSessionResponse,
  ExportAuditResponse,
  FindLoginRequest,
  FinishAccountLinkRequest,
  FinishAccountLinkResponse,
  FinishLoginRequest,
  FinishSignInRequest,
  FinishSignInResponse,
  FleetChange,
  Identity,
  Invitation,
  KillAgentResponse,
  ListAgentsRequest,
  ListAgentsResponse,
  ListAuditResponse,
  ListBudgetsResponse,
  ListDeadLettersResponse,
  ListDeliveriesResponse,
  ListDiffsRequest,
  ListDiffsResponse,
  ListFiringsResponse,
  ListFleetPullRequestsRequest,
  ListFleetPullRequestsResponse,
  ListFleetRequest,
  ListFleetResponse,
  ListFollowUpsRequest,
  ListFollowUpsResponse,
  ListIntegrationsResponse,
  ListInvitationsResponse,
  ListKindsResponse,
  ListLeaversResponse,
  ListLinkedAccountsResponse,
  ListPullRequestsRequest,
  ListPullRequestsResponse,
  ListResourcesResponse,
  ListRunnersResponse,
  ListSchedulesResponse,
  ListSessionsResponse,
  ListSignInProvidersResponse,
  ListStartingRepositoriesResponse,
  ListTasksRequest,
  ListTasksResponse,
  ListTenantsResponse,
  ListTriggerDeliveriesResponse,
  ListTriggersResponse,
  Login,
  Permissions,
  PreviewScheduleRequest,
  PreviewScheduleResponse,
  Provider,
  QueueFollowUpRequest,
  QueueFollowUpResponse,
  ReadDeliveryResponse,
  ReadDiffRequest,
  ReadDiffResponse,
  ReadInvitationRequest,
  ReadTenantResponse,
  ReadTimelineRequest,
  ReadTimelineResponse,
  ReadTriggerDeliveryResponse,
  ReadUsageRequest,
  ReadUsageResponse,
  RedeliverRequest,
  RedeliverResponse,
  RemoveFollowUpRequest,
  RemoveFollowUpResponse,
  RenewSessionRequest,
  ReplayDeliveriesRequest,
  ReplayDeliveriesResponse,
  Resource,
  ResourceHistoryResponse,
  ResumeTenantRequest,
  RevokeInvitationResponse,
  RunScheduleRequest,
  RunScheduleResponse,
  ScheduleStatus,
  SessionKeys,
  SetBudgetRequest,
  SetBudgetResponse,
  Share,
  SignInLink,
  SignInRequest,
  SignInResponse,
  SignOutResponse,
  SpawnAgentRequest,
  SpawnAgentResponse,
  StartAccountLinkRequest,
  StartAccountLinkResponse,
  StartLoginRequest,
  StartLoginResponse,
  StartSignInRequest,
  StartSignInResponse,
  StopTurnRequest,
  StopTurnResponse,
  SummarizeFleetRequest,
  SummarizeFleetResponse,
  SuspendTenantRequest,
  TasksResponse,
  TenantEntry,
  TenantExportLine,
  TestIntegrationRequest,
  TestIntegrationResponse,
  TestTriggerRequest,
  TestTriggerResponse,
  TimelineEvent,
  UnlinkAccountResponse,
  UpdateTasksRequest,
  WaitForAgentResponse,
  WatchAgentRequest,
  WatchAgentsRequest,
  WatchFleetRequest,
  WriteResourceRequest,
  WriteResourceResponse,
} from './types.ts'

/** What is needed to send an operation. */
export const OPERATIONS = {
  whoami: {
    id: 'whoami',
    method: 'GET',
    path: '/v1/whoami',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  getPermissions: {
    id: 'getPermissions',
    method: 'GET',
    path: '/v1/permissions',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  signIn: {
    id: 'signIn',
    method: 'POST',
    path: '/v1/session',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  signOut: {
    id: 'signOut',
    method: 'DELETE',
    path: '/v1/session',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  createSignInLink: {
    id: 'createSignInLink',
    method: 'POST',
    path: '/v1/session/links',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  listSignInProviders: {
    id: 'listSignInProviders',
    method: 'GET',
    path: '/v1/session/providers',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  startSignIn: {
    id: 'startSignIn',
    method: 'POST',
    path: '/v1/session/start',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  finishSignIn: {
    id: 'finishSignIn',
    method: 'POST',
    path: '/v1/session/finish',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  startLogin: {
    id: 'startLogin',
    method: 'POST',
    path: '/v1/login/start',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  findLogin: {
    id: 'findLogin',
    method: 'POST',
    path: '/v1/login/find',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  decideLogin: {
    id: 'decideLogin',
    method: 'POST',
    path: '/v1/login/decide',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  finishLogin: {
    id: 'finishLogin',
    method: 'POST',
    path: '/v1/login/finish',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  renewSession: {
    id: 'renewSession',
    method: 'POST',
    path: '/v1/session/renew',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  listSessions: {
    id: 'listSessions',
    method: 'GET',
    path: '/v1/sessions',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  endSession: {
    id: 'endSession',
    method: 'DELETE',
    path: '/v1/sessions/{sessionId}',
    isMutation: true,
    streams: false,
    hasBody: false,
  },
  listLinkedAccounts: {
    id: 'listLinkedAccounts',
    method: 'GET',
    path: '/v1/account/links',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  startAccountLink: {
    id: 'startAccountLink',
    method: 'POST',
    path: '/v1/account/links',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  finishAccountLink: {
    id: 'finishAccountLink',
    method: 'POST',
    path: '/v1/account/links/finish',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  unlinkAccount: {
    id: 'unlinkAccount',
    method: 'DELETE',
    path: '/v1/account/links/{name}',
    isMutation: true,
    streams: false,
    hasBody: false,
  },
  createInvitation: {
    id: 'createInvitation',
    method: 'POST',
    path: '/v1/invitations',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  listInvitations: {
    id: 'listInvitations',
    method: 'GET',
    path: '/v1/invitations',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  revokeInvitation: {
    id: 'revokeInvitation',
    method: 'DELETE',
    path: '/v1/invitations/{invitationId}',
    isMutation: true,
    streams: false,
    hasBody: false,
  },
  readInvitation: {
    id: 'readInvitation',
    method: 'POST',
    path: '/v1/invitation',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  acceptInvitation: {
    id: 'acceptInvitation',
    method: 'POST',
    path: '/v1/invitation/accept',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  listLeavers: {
    id: 'listLeavers',
    method: 'GET',
    path: '/v1/leavers',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  createTenant: {
    id: 'createTenant',
    method: 'POST',
    path: '/v1/tenants',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  listTenants: {
    id: 'listTenants',
    method: 'GET',
    path: '/v1/tenants',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  readTenant: {
    id: 'readTenant',
    method: 'GET',
    path: '/v1/tenants/{tenantId}',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  deleteTenant: {
    id: 'deleteTenant',
    method: 'DELETE',
    path: '/v1/tenants/{tenantId}',
    isMutation: true,
    streams: false,
    hasBody: false,
  },
  suspendTenant: {
    id: 'suspendTenant',
    method: 'POST',
    path: '/v1/tenants/{tenantId}/suspend',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  resumeTenant: {
    id: 'resumeTenant',
    method: 'POST',
    path: '/v1/tenants/{tenantId}/resume',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  exportTenant: {
    id: 'exportTenant',
    method: 'GET',
    path: '/v1/tenants/{tenantId}/export',
    isMutation: false,
    streams: true,
    hasBody: false,
  },
  readShare: {
    id: 'readShare',
    method: 'GET',
    path: '/v1/share',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  spawnAgent: {
    id: 'spawnAgent',
    method: 'POST',
    path: '/v1/agent/spawn',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  agentStatus: {
    id: 'agentStatus',
    method: 'POST',
    path: '/v1/agent/status',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  waitForAgent: {
    id: 'waitForAgent',
    method: 'POST',
    path: '/v1/agent/wait',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  listAgents: {
    id: 'listAgents',
    method: 'POST',
    path: '/v1/agents',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  watchAgents: {
    id: 'watchAgents',
    method: 'POST',
    path: '/v1/agents/watch',
    isMutation: false,
    streams: true,
    hasBody: true,
  },
  listFleet: {
    id: 'listFleet',
    method: 'POST',
    path: '/v1/fleet',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  watchFleet: {
    id: 'watchFleet',
    method: 'POST',
    path: '/v1/fleet/watch',
    isMutation: false,
    streams: true,
    hasBody: true,
  },
  summarizeFleet: {
    id: 'summarizeFleet',
    method: 'POST',
    path: '/v1/fleet/summary',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  listFleetPullRequests: {
    id: 'listFleetPullRequests',
    method: 'POST',
    path: '/v1/fleet/pull-requests',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  readUsage: {
    id: 'readUsage',
    method: 'POST',
    path: '/v1/usage',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  listBudgets: {
    id: 'listBudgets',
    method: 'GET',
    path: '/v1/budgets',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  stopTurn: {
    id: 'stopTurn',
    method: 'POST',
    path: '/v1/agent/stop-turn',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  killAgent: {
    id: 'killAgent',
    method: 'POST',
    path: '/v1/agent/kill',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  setBudget: {
    id: 'setBudget',
    method: 'POST',
    path: '/v1/agent/budget',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  queueFollowUp: {
    id: 'queueFollowUp',
    method: 'POST',
    path: '/v1/agent/queue',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  listFollowUps: {
    id: 'listFollowUps',
    method: 'POST',
    path: '/v1/agent/queue/list',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  removeFollowUp: {
    id: 'removeFollowUp',
    method: 'POST',
    path: '/v1/agent/queue/remove',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  clearFollowUps: {
    id: 'clearFollowUps',
    method: 'POST',
    path: '/v1/agent/clear-follow-ups',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  listTasks: {
    id: 'listTasks',
    method: 'POST',
    path: '/v1/agent/tasks',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  createTasks: {
    id: 'createTasks',
    method: 'POST',
    path: '/v1/agent/tasks/create',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  updateTasks: {
    id: 'updateTasks',
    method: 'POST',
    path: '/v1/agent/tasks/update',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  readTimeline: {
    id: 'readTimeline',
    method: 'POST',
    path: '/v1/agent/timeline',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  watchAgent: {
    id: 'watchAgent',
    method: 'POST',
    path: '/v1/agent/watch',
    isMutation: false,
    streams: true,
    hasBody: true,
  },
  listDiffs: {
    id: 'listDiffs',
    method: 'POST',
    path: '/v1/agent/diffs',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  readDiff: {
    id: 'readDiff',
    method: 'POST',
    path: '/v1/agent/diff',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  commentOnDiff: {
    id: 'commentOnDiff',
    method: 'POST',
    path: '/v1/agent/diff/comment',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  listPullRequests: {
    id: 'listPullRequests',
    method: 'POST',
    path: '/v1/agent/pull-requests',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  listKinds: {
    id: 'listKinds',
    method: 'GET',
    path: '/v1/catalog',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  listResources: {
    id: 'listResources',
    method: 'GET',
    path: '/v1/catalog/{ref.kind}',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  readResource: {
    id: 'readResource',
    method: 'GET',
    path: '/v1/catalog/{ref.kind}/{ref.name}',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  writeResource: {
    id: 'writeResource',
    method: 'POST',
    path: '/v1/catalog/{ref.kind}/{ref.name}',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  deleteResource: {
    id: 'deleteResource',
    method: 'DELETE',
    path: '/v1/catalog/{ref.kind}/{ref.name}',
    isMutation: true,
    streams: false,
    hasBody: false,
  },
  resourceHistory: {
    id: 'resourceHistory',
    method: 'GET',
    path: '/v1/catalog/{ref.kind}/{ref.name}/history',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  listAudit: {
    id: 'listAudit',
    method: 'GET',
    path: '/v1/audit',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  exportAudit: {
    id: 'exportAudit',
    method: 'GET',
    path: '/v1/audit/export',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  watchAudit: {
    id: 'watchAudit',
    method: 'GET',
    path: '/v1/audit/watch',
    isMutation: false,
    streams: true,
    hasBody: false,
  },
  listIntegrations: {
    id: 'listIntegrations',
    method: 'GET',
    path: '/v1/integrations',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  listDeliveries: {
    id: 'listDeliveries',
    method: 'GET',
    path: '/v1/integration/{name}/deliveries',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  readDelivery: {
    id: 'readDelivery',
    method: 'GET',
    path: '/v1/integration/{name}/deliveries/{deliveryId}',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  listDeadLetters: {
    id: 'listDeadLetters',
    method: 'GET',
    path: '/v1/integration/{name}/dead-letters',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  replayDeliveries: {
    id: 'replayDeliveries',
    method: 'POST',
    path: '/v1/integration/{name}/replay',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  testIntegration: {
    id: 'testIntegration',
    method: 'POST',
    path: '/v1/integration/{name}/test',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  listSchedules: {
    id: 'listSchedules',
    method: 'GET',
    path: '/v1/schedules',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  readSchedule: {
    id: 'readSchedule',
    method: 'GET',
    path: '/v1/schedule/{name}',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  listFirings: {
    id: 'listFirings',
    method: 'GET',
    path: '/v1/schedule/{name}/firings',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  runSchedule: {
    id: 'runSchedule',
    method: 'POST',
    path: '/v1/schedule/{name}/run',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  previewSchedule: {
    id: 'previewSchedule',
    method: 'POST',
    path: '/v1/schedules/preview',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  listStartingRepositories: {
    id: 'listStartingRepositories',
    method: 'GET',
    path: '/v1/code-hosts/repositories',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  listTriggers: {
    id: 'listTriggers',
    method: 'GET',
    path: '/v1/triggers',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  listTriggerDeliveries: {
    id: 'listTriggerDeliveries',
    method: 'GET',
    path: '/v1/triggers/{name}/deliveries',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  readTriggerDelivery: {
    id: 'readTriggerDelivery',
    method: 'GET',
    path: '/v1/triggers/{name}/deliveries/{deliveryId}',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
  redeliver: {
    id: 'redeliver',
    method: 'POST',
    path: '/v1/triggers/{name}/deliveries/{deliveryId}/redeliver',
    isMutation: true,
    streams: false,
    hasBody: true,
  },
  testTrigger: {
    id: 'testTrigger',
    method: 'POST',
    path: '/v1/trigger-test',
    isMutation: false,
    streams: false,
    hasBody: true,
  },
  listRunners: {
    id: 'listRunners',
    method: 'GET',
    path: '/v1/runners',
    isMutation: false,
    streams: false,
    hasBody: false,
  },
} as const

/** What an operation takes and answers. */
export interface OperationTypes {
  readonly whoami: {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly response: Identity
  }
  readonly getPermissions: {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly response: Permissions
  }
  readonly signIn: {
    readonly params: undefined
    readonly query: undefined
    readonly body: SignInRequest
    readonly response: SignInResponse
  }
  readonly signOut: {
    readonly params: undefined
    readonly query: { readonly everywhere?: boolean | undefined }
    readonly body: undefined
    readonly response: SignOutResponse
  }
  readonly createSignInLink: {
    readonly params: undefined
    readonly query: undefined
    readonly body: CreateSignInLinkRequest
    readonly response: SignInLink
  }
  readonly listSignInProviders: {
    readonly params: undefined
    readonly query: { readonly org?: string | undefined }
    readonly body: undefined
    readonly response: ListSignInProvidersResponse
  }
  readonly startSignIn: {
    readonly params: undefined
    readonly query: undefined
    readonly body: StartSignInRequest
    readonly response: StartSignInResponse
  }
  readonly finishSignIn: {
    readonly params: undefined
    readonly query: undefined
    readonly body: FinishSignInRequest
    readonly response: FinishSignInResponse
  }
  readonly startLogin: {
    readonly params: undefined
    readonly query: undefined
    readonly body: StartLoginRequest
    readonly response: StartLoginResponse
  }
  readonly findLogin: {
    readonly params: undefined
    readonly query: undefined
    readonly body: FindLoginRequest
    readonly response: Login
  }
  readonly decideLogin: {
    readonly params: undefined
    readonly query: undefined
    readonly body: DecideLoginRequest
    readonly response: DecideLoginResponse
  }
  readonly finishLogin: {
    readonly params: undefined
    readonly query: undefined
    readonly body: FinishLoginRequest
    readonly response: SessionKeys
  }
  readonly renewSession: {
    readonly params: undefined
    readonly query: undefined
    readonly body: RenewSessionRequest
    readonly response: SessionKeys
  }
  readonly listSessions: {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly response: ListSessionsResponse
  }
  readonly endSession: {
    readonly params: { readonly sessionId: string }
    readonly query: undefined
    readonly body: undefined
    readonly response: EndSessionResponse
  }
  readonly listLinkedAccounts: {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly response: ListLinkedAccountsResponse
  }
  readonly startAccountLink: {
    readonly params: undefined
    readonly query: undefined
    readonly body: StartAccountLinkRequest
    readonly response: StartAccountLinkResponse
  }
  readonly finishAccountLink: {
    readonly params: undefined
    readonly query: undefined
    readonly body: FinishAccountLinkRequest
    readonly response: FinishAccountLinkResponse
  }
  readonly unlinkAccount: {
    readonly params: { readonly name: string }
    readonly query: { readonly ownerProvider?: Provider | undefined; readonly account?: string | undefined }
    readonly body: undefined
    readonly response: UnlinkAccountResponse
  }
  readonly createInvitation: {
    readonly params: undefined
    readonly query: undefined
    readonly body: CreateInvitationRequest
    readonly response: CreateInvitationResponse
  }
  readonly listInvitations: {
    readonly params: undefined
    readonly query: { readonly pageSize?: number | undefined; readonly pageToken?: string | undefined }
    readonly body: undefined
    readonly response: ListInvitationsResponse
  }
  readonly revokeInvitation: {
    readonly params: { readonly invitationId: string }
    readonly query: undefined
    readonly body: undefined
    readonly response: RevokeInvitationResponse
  }
  readonly readInvitation: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ReadInvitationRequest
    readonly response: Invitation
  }
  readonly acceptInvitation: {
    readonly params: undefined
    readonly query: undefined
    readonly body: AcceptInvitationRequest
    readonly response: AcceptInvitationResponse
  }
  readonly listLeavers: {
    readonly params: undefined
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
    }
    readonly body: undefined
    readonly response: ListLeaversResponse
  }
  readonly createTenant: {
    readonly params: undefined
    readonly query: undefined
    readonly body: CreateTenantRequest
    readonly response: TenantEntry
  }
  readonly listTenants: {
    readonly params: undefined
    readonly query: {
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
      readonly org?: string | undefined
    }
    readonly body: undefined
    readonly response: ListTenantsResponse
  }
  readonly readTenant: {
    readonly params: { readonly tenantId: string }
    readonly query: undefined
    readonly body: undefined
    readonly response: ReadTenantResponse
  }
  readonly deleteTenant: {
    readonly params: { readonly tenantId: string }
    readonly query: {
      readonly confirm: string
      readonly abandon?: 'true' | 'false' | undefined
      readonly justification?: string | undefined
    }
    readonly body: undefined
    readonly response: TenantEntry
  }
  readonly suspendTenant: {
    readonly params: { readonly tenantId: string }
    readonly query: undefined
    readonly body: SuspendTenantRequest
    readonly response: TenantEntry
  }
  readonly resumeTenant: {
    readonly params: { readonly tenantId: string }
    readonly query: undefined
    readonly body: ResumeTenantRequest
    readonly response: TenantEntry
  }
  readonly exportTenant: {
    readonly params: { readonly tenantId: string }
    readonly query: undefined
    readonly body: undefined
    readonly response: TenantExportLine
  }
  readonly readShare: {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly response: Share
  }
  readonly spawnAgent: {
    readonly params: undefined
    readonly query: undefined
    readonly body: SpawnAgentRequest
    readonly response: SpawnAgentResponse
  }
  readonly agentStatus: {
    readonly params: undefined
    readonly query: undefined
    readonly body: AgentRequest
    readonly response: AgentStatus
  }
  readonly waitForAgent: {
    readonly params: undefined
    readonly query: undefined
    readonly body: AgentRequest
    readonly response: WaitForAgentResponse
  }
  readonly listAgents: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ListAgentsRequest
    readonly response: ListAgentsResponse
  }
  readonly watchAgents: {
    readonly params: undefined
    readonly query: undefined
    readonly body: WatchAgentsRequest
    readonly response: AgentEntry
  }
  readonly listFleet: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ListFleetRequest
    readonly response: ListFleetResponse
  }
  readonly watchFleet: {
    readonly params: undefined
    readonly query: undefined
    readonly body: WatchFleetRequest
    readonly response: FleetChange
  }
  readonly summarizeFleet: {
    readonly params: undefined
    readonly query: undefined
    readonly body: SummarizeFleetRequest
    readonly response: SummarizeFleetResponse
  }
  readonly listFleetPullRequests: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ListFleetPullRequestsRequest
    readonly response: ListFleetPullRequestsResponse
  }
  readonly readUsage: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ReadUsageRequest
    readonly response: ReadUsageResponse
  }
  readonly listBudgets: {
    readonly params: undefined
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
    }
    readonly body: undefined
    readonly response: ListBudgetsResponse
  }
  readonly stopTurn: {
    readonly params: undefined
    readonly query: undefined
    readonly body: StopTurnRequest
    readonly response: StopTurnResponse
  }
  readonly killAgent: {
    readonly params: undefined
    readonly query: undefined
    readonly body: AgentRequest
    readonly response: KillAgentResponse
  }
  readonly setBudget: {
    readonly params: undefined
    readonly query: undefined
    readonly body: SetBudgetRequest
    readonly response: SetBudgetResponse
  }
  readonly queueFollowUp: {
    readonly params: undefined
    readonly query: undefined
    readonly body: QueueFollowUpRequest
    readonly response: QueueFollowUpResponse
  }
  readonly listFollowUps: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ListFollowUpsRequest
    readonly response: ListFollowUpsResponse
  }
  readonly removeFollowUp: {
    readonly params: undefined
    readonly query: undefined
    readonly body: RemoveFollowUpRequest
    readonly response: RemoveFollowUpResponse
  }
  readonly clearFollowUps: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ClearFollowUpsRequest
    readonly response: ClearFollowUpsResponse
  }
  readonly listTasks: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ListTasksRequest
    readonly response: ListTasksResponse
  }
  readonly createTasks: {
    readonly params: undefined
    readonly query: undefined
    readonly body: CreateTasksRequest
    readonly response: TasksResponse
  }
  readonly updateTasks: {
    readonly params: undefined
    readonly query: undefined
    readonly body: UpdateTasksRequest
    readonly response: TasksResponse
  }
  readonly readTimeline: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ReadTimelineRequest
    readonly response: ReadTimelineResponse
  }
  readonly watchAgent: {
    readonly params: undefined
    readonly query: undefined
    readonly body: WatchAgentRequest
    readonly response: TimelineEvent
  }
  readonly listDiffs: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ListDiffsRequest
    readonly response: ListDiffsResponse
  }
  readonly readDiff: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ReadDiffRequest
    readonly response: ReadDiffResponse
  }
  readonly commentOnDiff: {
    readonly params: undefined
    readonly query: undefined
    readonly body: CommentOnDiffRequest
    readonly response: CommentOnDiffResponse
  }
  readonly listPullRequests: {
    readonly params: undefined
    readonly query: undefined
    readonly body: ListPullRequestsRequest
    readonly response: ListPullRequestsResponse
  }
  readonly listKinds: {
    readonly params: undefined
    readonly query: undefined
    readonly body: undefined
    readonly response: ListKindsResponse
  }
  readonly listResources: {
    readonly params: { readonly 'ref.kind': string }
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
    }
    readonly body: undefined
    readonly response: ListResourcesResponse
  }
  readonly readResource: {
    readonly params: { readonly 'ref.kind': string; readonly 'ref.name': string }
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
    }
    readonly body: undefined
    readonly response: Resource
  }
  readonly writeResource: {
    readonly params: { readonly 'ref.kind': string; readonly 'ref.name': string }
    readonly query: undefined
    readonly body: WriteResourceRequest
    readonly response: WriteResourceResponse
  }
  readonly deleteResource: {
    readonly params: { readonly 'ref.kind': string; readonly 'ref.name': string }
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly ifGenerationMatch?: string | undefined
      readonly justification?: string | undefined
    }
    readonly body: undefined
    readonly response: DeleteResourceResponse
  }
  readonly resourceHistory: {
    readonly params: { readonly 'ref.kind': string; readonly 'ref.name': string }
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
    }
    readonly body: undefined
    readonly response: ResourceHistoryResponse
  }
  readonly listAudit: {
    readonly params: undefined
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
      readonly operation?: string | undefined
      readonly kind?: string | undefined
      readonly name?: string | undefined
      readonly account?: string | undefined
      readonly startTime?: string | undefined
      readonly endTime?: string | undefined
    }
    readonly body: undefined
    readonly response: ListAuditResponse
  }
  readonly exportAudit: {
    readonly params: undefined
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly after?: string | undefined
      readonly startTime?: string | undefined
    }
    readonly body: undefined
    readonly response: ExportAuditResponse
  }
  readonly watchAudit: {
    readonly params: undefined
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly operation?: string | undefined
      readonly kind?: string | undefined
      readonly name?: string | undefined
      readonly account?: string | undefined
      readonly startTime?: string | undefined
      readonly after?: string | undefined
    }
    readonly body: undefined
    readonly response: AuditEvent
  }
  readonly listIntegrations: {
    readonly params: undefined
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
    }
    readonly body: undefined
    readonly response: ListIntegrationsResponse
  }
  readonly listDeliveries: {
    readonly params: { readonly name: string }
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
      readonly failed?: 'true' | 'false' | undefined
    }
    readonly body: undefined
    readonly response: ListDeliveriesResponse
  }
  readonly readDelivery: {
    readonly params: { readonly name: string; readonly deliveryId: string }
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly time: string
    }
    readonly body: undefined
    readonly response: ReadDeliveryResponse
  }
  readonly listDeadLetters: {
    readonly params: { readonly name: string }
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
    }
    readonly body: undefined
    readonly response: ListDeadLettersResponse
  }
  readonly replayDeliveries: {
    readonly params: { readonly name: string }
    readonly query: undefined
    readonly body: ReplayDeliveriesRequest
    readonly response: ReplayDeliveriesResponse
  }
  readonly testIntegration: {
    readonly params: { readonly name: string }
    readonly query: undefined
    readonly body: TestIntegrationRequest
    readonly response: TestIntegrationResponse
  }
  readonly listSchedules: {
    readonly params: undefined
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
    }
    readonly body: undefined
    readonly response: ListSchedulesResponse
  }
  readonly readSchedule: {
    readonly params: { readonly name: string }
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
    }
    readonly body: undefined
    readonly response: ScheduleStatus
  }
  readonly listFirings: {
    readonly params: { readonly name: string }
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
    }
    readonly body: undefined
    readonly response: ListFiringsResponse
  }
  readonly runSchedule: {
    readonly params: { readonly name: string }
    readonly query: undefined
    readonly body: RunScheduleRequest
    readonly response: RunScheduleResponse
  }
  readonly previewSchedule: {
    readonly params: undefined
    readonly query: undefined
    readonly body: PreviewScheduleRequest
    readonly response: PreviewScheduleResponse
  }
  readonly listStartingRepositories: {
    readonly params: undefined
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
    }
    readonly body: undefined
    readonly response: ListStartingRepositoriesResponse
  }
  readonly listTriggers: {
    readonly params: undefined
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
    }
    readonly body: undefined
    readonly response: ListTriggersResponse
  }
  readonly listTriggerDeliveries: {
    readonly params: { readonly name: string }
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
      readonly pageSize?: number | undefined
      readonly pageToken?: string | undefined
    }
    readonly body: undefined
    readonly response: ListTriggerDeliveriesResponse
  }
  readonly readTriggerDelivery: {
    readonly params: { readonly name: string; readonly deliveryId: string }
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
    }
    readonly body: undefined
    readonly response: ReadTriggerDeliveryResponse
  }
  readonly redeliver: {
    readonly params: { readonly name: string; readonly deliveryId: string }
    readonly query: undefined
    readonly body: RedeliverRequest
    readonly response: RedeliverResponse
  }
  readonly testTrigger: {
    readonly params: undefined
    readonly query: undefined
    readonly body: TestTriggerRequest
    readonly response: TestTriggerResponse
  }
  readonly listRunners: {
    readonly params: undefined
    readonly query: {
      readonly 'ref.tenant.provider'?: Provider | undefined
      readonly 'ref.tenant.org'?: string | undefined
    }
    readonly body: undefined
    readonly response: ListRunnersResponse
  }
}

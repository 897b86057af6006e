// Made by `npm run generate` from openapi.json. Do not edit.

export interface AcceptInvitationRequest {
  /** From the fragment of the link. */
  readonly code: string
  /** The name of the account. It cannot be changed later. */
  readonly account: string
  /** Random, generated and kept by the page. Only its digest is stored. */
  readonly pageSecret: string
}

export interface AcceptInvitationResponse {
  readonly identity: Identity
  /** When the session expires. */
  readonly expireTime: string
  /** The person’s key, shown once. */
  readonly apiKey: string
}

/** One line of the list of agents. */
export interface AgentEntry {
  readonly agentId: AgentId
  readonly phase: Phase
  /** What the agent has spent so far, in US dollars. */
  readonly cost: number
  /** When the agent last showed progress. */
  readonly progressAt: string
  /** The repositories of its workspace. */
  readonly repos: readonly string[]
  /** The agent’s page in the dashboard. */
  readonly dashboardUrl: string
  /** Tokens read by the model, cached ones included. */
  readonly inputTokens: string
  /** Input tokens that came from the provider’s cache. */
  readonly cachedInputTokens: string
  /** Tokens written by the model. */
  readonly outputTokens: string
  /** Input and output together. */
  readonly totalTokens: string
  /** What the agent asks or waits for; empty if it needs nothing. */
  readonly needsInput: string
  /** Why a pending agent is not running, such as `waiting for 2 children` or `no runner in pool lab`; empty if it is not pending. Computed for each response; a runner that comes or goes does not count as a change. */
  readonly pendingReason: string
  /** The earliest time a pending agent continues; empty if unknown. */
  readonly pendingUntil: string
}

/** The identity of an agent. */
export interface AgentId {
  readonly tenant: Tenant
  readonly ownerProvider: Provider
  /** Who owns the agent: a user’s name, or the name of a service profile. */
  readonly account: string
  /** The path from the root agent down to this one; a root has one element. */
  readonly agent: readonly string[]
  /** The workspace that gives the agent its repositories and environment. */
  readonly workspace: string
}

/** Names an agent. */
export interface AgentIdInput {
  readonly tenant?: TenantInput | undefined
  readonly ownerProvider?: Provider | undefined
  /** The owner; default: yours. */
  readonly account?: string | undefined
  /** The path from root to leaf. */
  readonly agent?: readonly string[] | undefined
  /** May be empty at spawn; the service then chooses one. */
  readonly workspace?: string | undefined
}

/** A pull request of an agent, as last read from the code host. */
export interface AgentPullRequest {
  /** Of its resource. */
  readonly name: string
  /** The code host. */
  readonly codeHost: string
  /** The repository on it, as owner/name. */
  readonly repository: string
  /** Its number there. */
  readonly number: number
  /** Where people find it. */
  readonly url: string
  /** Its title, as last read from the code host. */
  readonly title: string
  /** Its state, as last read from the code host. */
  readonly state: 'open' | 'closed' | 'merged'
  /** Whether it is a draft. */
  readonly draft: boolean
  /** The branch with the changes. */
  readonly head: string
  /** The branch that they are for. */
  readonly base: string
  /** The state of its checks, as last read from the code host. */
  readonly checks: 'none' | 'pending' | 'passing' | 'failing'
  /** Whether it conflicts with its base, as last read from the code host. */
  readonly isConflicting: boolean
  /** Waiting for news; the agent has some; stopped until a person sends the agent a message; over. */
  readonly review: 'watching' | 'working' | 'stopped' | 'ended'
  /** Why updates do not reach the agent; empty if they do. */
  readonly reviewProblem: string
  /** How often news was given to the agent since a person last helped. */
  readonly rounds: number
  /** What the service records about a resource. Ignored in a write. */
  readonly metadata?:
    | {
        /** The resource’s name within its kind. */
        readonly name: string
        /** When it was first written. */
        readonly createTime: string
        /** When it was last written. */
        readonly updateTime: string
        /** The account that wrote it last. */
        readonly updatedBy: string
        /** The version; 0 for a built-in. */
        readonly generation: string
      }
    | undefined
  /** When it was opened. */
  readonly createTime: string
  /** When its title, state or branches last changed. */
  readonly updateTime: string
}

export interface AgentRequest {
  readonly agentId: AgentIdInput
}

/** Everything about one agent. */
export interface AgentStatus extends AgentEntry {
  /** The number of the current or last run. A stop must specify it. */
  readonly runCount: string
  readonly run: Run
  /** The work the agent was given. */
  readonly description: string
  /** The expected result. */
  readonly expectedOutput: string
  /** The active persona. */
  readonly persona: string
  /** The backend that executes the turns. */
  readonly backend: string
  /** The active model. */
  readonly model: string
  /** The active effort. */
  readonly reasoningEffort: string
  /** The active tier. */
  readonly serviceTier: string
  /** Whether fast mode is on. */
  readonly fastMode: boolean
  /** The active output schema. */
  readonly outputSchema: string
  /** The last run’s structured output, as a JSON string. */
  readonly output: string
  /** What the agent said last. */
  readonly lastMessage: string
  /** The checklist. */
  readonly tasks: readonly Task[]
  /** The tasks that keep the agent from completing. A pending task that is not among them is inactive: its condition is not met. */
  readonly openTaskIds: readonly string[]
  /** The first 20 messages that are not delivered yet, oldest first, with the first 1,024 characters of their texts. `/v1/agent/queue/list` has them all. */
  readonly followUps: readonly FollowUp[]
  /** Number of undelivered messages. Only present if followUps does not contain all of them. */
  readonly followUpCount?: number | undefined
  /** Arbitrary key-value pairs to find agents by. */
  readonly labels: Readonly<Record<string, string>>
  /** The budget of the agent and its subtree, in US dollars; 0 means none. */
  readonly maxCost: number
  /** What the agent and its subtree have spent, in US dollars. */
  readonly treeCost: number
  readonly error: {
    /** The class of the failure; empty if there is none. */
    readonly code: string
    /** What went wrong. */
    readonly message: string
  }
  /** What it has pushed, the newest push first; the last eight branches. */
  readonly branches: readonly PushedBranch[]
  /** When this incarnation started. */
  readonly createTime: string
  /** When it ended. */
  readonly endTime: string
  /** The build that the runners of its pool run. */
  readonly build: string
}

/** One committed change, or one or more identical reads or rejections. */
export interface AuditEntry {
  /** The entry’s id; ids sort by time. */
  readonly id: string
  /** When it was committed. */
  readonly time: string
  /** The operation: one that changed something, one with which an operator of another tenant read, refuseKey, refuseSignIn, refuseRenewal or refuseToken. */
  readonly operation: string
  /** The kind of the resource; empty for a read of many. */
  readonly kind: string
  /** Its name. */
  readonly name: string
  /** The version that the change produced; 0 where there is none. */
  readonly generation: string
  readonly ownerProvider: Provider
  /** Who did it; for refuseKey, whose key it was. */
  readonly account: string
  readonly role: Role
  /** With which token. */
  readonly token: string
  /** Why, if a reason was given. */
  readonly justification: string
  /** Identifies the request in logs and traces; the first one, if it happened more than once. */
  readonly requestId: string
  /** Where the request came from; empty for actions of the service itself. */
  readonly address: string
  /** For refuseKey: why. For refuseToken and exchangeToken: whose token it was. */
  readonly detail: string
  /** How often it happened. Rejected keys and operators’ reads are recorded once, then counted. */
  readonly times: string
}

/** An entry that was added to the audit log. */
export interface AuditEvent {
  readonly entry: AuditEntry
  /** Where to continue after this entry; also the id of the event. */
  readonly cursor: string
}

/** A monthly budget and how much of it is used. */
export interface BudgetEntry {
  /** The budget. */
  readonly name: string
  /** Whether calls are refused once it is used up. */
  readonly mode: 'hard' | 'soft'
  /** US dollars in each calendar month. */
  readonly amount: number
  /** What was spent in the current month, in US dollars. */
  readonly spent: number
  /** The least that calls in flight will cost, in US dollars. */
  readonly reserved: number
  /** The time zone of its months. */
  readonly timeZone: string
  /** When the current month began. */
  readonly startTime: string
  /** When the next month begins. */
  readonly endTime: string
  /** The team whose workspaces it is for; empty if it is for something else. */
  readonly team: string
  /** The account that it is for; empty if it is for something else. */
  readonly account: string
  readonly ownerProvider: Provider
  /** The label that it is for, such as project=checkout; empty if it is for something else. */
  readonly label: string
}

export interface ClearFollowUpsRequest {
  readonly agentId: AgentIdInput
}

export interface ClearFollowUpsResponse {
  /** How many were discarded. */
  readonly cleared: number
}

export interface CommentOnDiffRequest {
  readonly agentId: AgentIdInput
  /** The diff. */
  readonly diffId: string
  /** The index of the file. */
  readonly file: number
  /** Which version of the file the line number is from. */
  readonly side: 'before' | 'after'
  /** The line. */
  readonly line: number
  /** What the agent should know or do. */
  readonly text: string
}

export interface CommentOnDiffResponse {
  /** The follow-up’s id. */
  readonly followUpId: string
}

export interface CreateInvitationRequest {
  /** The role that the person gets. */
  readonly role: 'viewer' | 'member' | 'admin'
  /** A team that the person joins as a member. Default: none. */
  readonly team?: string | undefined
  /** Who it is for. */
  readonly description?: string | undefined
  /** Where to send the link. Default: nowhere. */
  readonly email?: string | undefined
  /** For how long it can be accepted: at least a minute, at most 30 days. */
  readonly expiresIn?: string | undefined
}

export interface CreateInvitationResponse {
  readonly invitation: InvitationEntry
  /** The link. Empty if the answer to a repeated request is the recorded one. */
  readonly url: string
}

export type CreateSignInLinkRequest = Readonly<Record<string, never>>

export interface CreateTasksRequest {
  readonly agentId: AgentIdInput
  readonly tasks: readonly TaskInput[]
}

export interface CreateTenantRequest {
  readonly tenant: Tenant
  /** Why; goes into the audit log. Operators must give one. */
  readonly justification?: string | undefined
}

/** Events of one agent that could not be delivered. Kept for 30 days. */
export interface DeadLetter {
  /** Identifies it for a replay. */
  readonly id: string
  /** When it became a dead letter. */
  readonly time: string
  /** The agent; absent if it was deleted, and for events about no agent. */
  readonly agentId?:
    | {
        readonly tenant: Tenant
        readonly ownerProvider: Provider
        /** Who owns the agent: a user’s name, or the name of a service profile. */
        readonly account: string
        /** The path from the root agent down to this one; a root has one element. */
        readonly agent: readonly string[]
        /** The workspace that gives the agent its repositories and environment. */
        readonly workspace: string
      }
    | undefined
  /** The first event that was not sent. */
  readonly firstSequence: string
  /** The last one. */
  readonly lastSequence: string
  /** Why. */
  readonly error: string
}

export interface DecideLoginRequest {
  /** The login’s id. */
  readonly loginId?: string | undefined
  /** The code that the command line shows. Small letters, spaces and hyphens are accepted. */
  readonly userCode?: string | undefined
  /** Whether it may act as the caller. */
  readonly isAllowed: boolean
}

export interface DecideLoginResponse {
  /** Where to send the browser, with the code for the command line; empty if nowhere. */
  readonly redirectUrl: string
}

export type DeleteResourceResponse = Readonly<Record<string, never>>

/** One request to a receiver. */
export interface Delivery {
  /** Identifies the request. */
  readonly id: string
  /** When it was sent. */
  readonly time: string
  /** The agent; absent for a test, for an event about no agent, and if it was deleted. */
  readonly agentId?:
    | {
        readonly tenant: Tenant
        readonly ownerProvider: Provider
        /** Who owns the agent: a user’s name, or the name of a service profile. */
        readonly account: string
        /** The path from the root agent down to this one; a root has one element. */
        readonly agent: readonly string[]
        /** The workspace that gives the agent its repositories and environment. */
        readonly workspace: string
      }
    | undefined
  /** The event’s number on the agent’s timeline; 0 for a test. */
  readonly sequence: string
  /** The event’s type. */
  readonly type: string
  /** The same for every request with this event. */
  readonly webhookId: string
  /** The same for all events in one message; empty for a webhook. */
  readonly messageId: string
  /** Which attempt this was. */
  readonly attempt: number
  /** The status of the response; 0 if there was none. */
  readonly status: number
  /** Why it failed; empty if it was delivered. */
  readonly error: string
  /** How long it took, in milliseconds. */
  readonly latencyMs: number
  /** The beginning of the response, up to 2 KiB. */
  readonly response: string
}

/** What an agent pushed, compared with a base. */
export interface Diff {
  /** Identifies it among the diffs of the agent. */
  readonly diffId: string
  /** The repository’s URL. */
  readonly repo: string
  /** The branch that was pushed. */
  readonly branch: string
  /** What was pushed. */
  readonly commit: string
  /** What it is compared with: the commit where the branch left its base, or what was pushed before. */
  readonly scope: 'branch' | 'push'
  /** The branch that the work started from; empty if the repository was empty. */
  readonly baseBranch: string
  /** The commit it is compared with; empty for none. */
  readonly baseCommit: string
  /** Changed files, including those that are not listed. */
  readonly fileCount: number
  /** Added lines. */
  readonly added: number
  /** Removed lines. */
  readonly removed: number
  /** The run that pushed it. */
  readonly runId: string
  /** When it was recorded. */
  readonly createTime: string
}

/** A file of a diff. */
export interface DiffFile {
  /** Its position in the diff, from 0. */
  readonly index: number
  /** Where the file is; for a deleted one, where it was. */
  readonly path: string
  /** The old path of a renamed file; empty if it was not renamed. */
  readonly oldPath: string
  /** What happened to the file. */
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed' | 'type-changed'
  /** What the file is. Files over 4 MiB count as binary. */
  readonly kind: 'text' | 'binary' | 'link' | 'submodule'
  /** Added lines; 0 for a binary file. */
  readonly added: number
  /** Removed lines; 0 for a binary file. */
  readonly removed: number
  /** The hunks, as git shows them, in UTF-8. Empty if there are none or if they were left out. */
  readonly patch: string
  /** Whether the hunks were left out because the diff is too large. */
  readonly isOmitted: boolean
  /** The size of the hunks, also if they were not asked for. */
  readonly patchBytes: number
}

export type EndSessionResponse = Readonly<Record<string, never>>

export interface ExportAuditResponse {
  readonly entries: readonly AuditEntry[]
  /** Where the next export starts; empty if there was nothing. */
  readonly cursor: string
  /** Whether more can be read now. */
  readonly hasMore: boolean
}

export interface FindLoginRequest {
  /** The login’s id. */
  readonly loginId?: string | undefined
  /** The code that the command line shows. Small letters, spaces and hyphens are accepted. */
  readonly userCode?: string | undefined
}

export interface FinishAccountLinkRequest {
  /** Path and query of the page that the provider sent the browser to. */
  readonly returnedTo: string
}

export interface FinishAccountLinkResponse {
  readonly link: LinkedAccount
}

export interface FinishLoginRequest {
  /** The login’s id. */
  readonly loginId: string
  /** What the challenge was made of. */
  readonly codeVerifier: string
  /** What the browser brought, for a login with a port. */
  readonly code?: string | undefined
}

export interface FinishSignInRequest {
  /** Path and query of the page that the provider sent the browser to. */
  readonly returnedTo: string
  /** Random, generated and kept by the page. Only its digest is stored. */
  readonly pageSecret: string
}

export interface FinishSignInResponse {
  readonly identity: Identity
  /** When the session expires. */
  readonly expireTime: string
}

/** One firing of a schedule. Kept for 30 days. */
export interface Firing {
  /** The time that the schedule names, or of the request to run it. */
  readonly dueTime: string
  readonly outcome: FiringOutcome
  /** Whether it was started by hand. */
  readonly isManual: boolean
  /** When it was decided to carry it out. */
  readonly startTime: string
  /** When the outcome was final. */
  readonly endTime: string
  /** The workspace of its agent; empty if it has none. */
  readonly workspace: string
  /** The name of its agent; empty if it has none. */
  readonly agent: string
  /** The service profile that owns the agent; empty if it has none. */
  readonly account: string
  /** The agent’s page in the dashboard; empty if it has none. */
  readonly dashboardUrl: string
  /** Why it was skipped, missed or given up, or why the last attempt failed. */
  readonly detail: string
  /** Tries that failed. */
  readonly attempts: number
}

/** The outcome of a firing: recorded; waiting until the previous agent has ended; being carried out; started an agent; sent a message; skipped because of the overlap policy; missed in an outage, possibly with later ones; given up. */
export type FiringOutcome =
  'PENDING' | 'WAITING' | 'STARTING' | 'STARTED' | 'SENT' | 'SKIPPED' | 'MISSED' | 'FAILED'

export interface FiringTime {
  /** The time that the schedule names. */
  readonly dueTime: string
  /** When it is carried out: the same, unless there is jitter. */
  readonly startTime: string
}

/** The newest state of an agent that has changed. */
export interface FleetChange {
  readonly entry: FleetEntry
  /** False if the agent no longer matches the filter. */
  readonly isListed: boolean
  /** Where to continue after this change; also the id of the event. */
  readonly cursor: string
}

/** One agent of a fleet. */
export interface FleetEntry extends AgentEntry {
  /** When this incarnation started. */
  readonly createTime: string
  /** When it ended. */
  readonly endTime: string
  /** Arbitrary key-value pairs to find agents by. */
  readonly labels: Readonly<Record<string, string>>
  /** The active persona. */
  readonly persona: string
  /** The active model. */
  readonly model: string
  /** The budget of the agent and its subtree, in US dollars; 0 means none. */
  readonly maxCost: number
  /** How much of the budget has been spent, as far as people are told: 0, 80 or 100 percent. */
  readonly budgetReached: number
  /** The number of the current or last run. A stop must specify it. */
  readonly runCount: string
  /** What went wrong, up to 500 characters; empty if nothing did. */
  readonly errorMessage: string
  /** How many tasks keep the agent from completing. */
  readonly openTasks: number
  /** Number of open and completed tasks, without deleted and inactive ones. */
  readonly totalTasks: number
  /** The first 200 characters of the work it was given. */
  readonly description: string
  /** When the next deferred message is due; empty if none is deferred. */
  readonly nextDeliverAt: string
  /** The first 200 characters of what it said last. */
  readonly lastMessage: string
}

/** The pull request of one agent of a fleet: the newest open one, or the newest if none is open. */
export interface FleetPullRequest {
  readonly agentId: AgentId
  readonly pullRequest: AgentPullRequest
  /** How many of the agent’s pull requests are open. */
  readonly openCount: number
}

/** A message that the agent has not received yet. */
export interface FollowUp {
  /** The message’s id: chosen by the caller, or a generated UUID. */
  readonly followUpId: string
  /** The message. */
  readonly description: string
  /** DEFERRED until deliverAt, QUEUED until a run takes it. */
  readonly state: 'DEFERRED' | 'QUEUED'
  /** When a deferred message joins the queue. */
  readonly deliverAt: string
  /** When it was accepted. */
  readonly createTime: string
}

/** What runners have to remove before a tenant is deleted. */
export interface HeldByRunners {
  /** The pool. */
  readonly pool: string
  /** The number of agents whose data its runners hold. */
  readonly agents: number
  /** Of these, how many the runners failed to remove ten times. Requesting the deletion again makes them retry. */
  readonly failed: number
}

/** What was spent in one hour. */
export interface HourOfSpend {
  /** Start of the hour. */
  readonly time: string
  /** US dollars. */
  readonly cost: number
  /** Tokens read by models, cached ones included. */
  readonly inputTokens: string
  /** Tokens written by models. */
  readonly outputTokens: string
}

/** The caller’s identity. */
export interface Identity {
  readonly tenant: Tenant
  readonly ownerProvider: Provider
  /** The account that the key acts for. */
  readonly account: string
  readonly role: Role
  /** The name of the token that the key belongs to, or `identity-provider/` and the name of the identity provider that the person signed in with. */
  readonly token: string
  /** When the key stops working; empty for a key that does not expire. */
  readonly expireTime: string
}

/** How people write documents of the kind. */
export type InputFormat = 'INPUT_FORMAT_UNSPECIFIED' | 'INPUT_FORMAT_YAML' | 'INPUT_FORMAT_MARKDOWN'

/** An integration, with its state. */
export interface IntegrationEntry {
  /** The name of the resource. */
  readonly name: string
  /** What it is: `webhook`, a chat, or `email`. */
  readonly type: string
  /** Where events are sent; empty if only a secret knows. */
  readonly url: string
  /** Who gets e-mail. */
  readonly to: readonly string[]
  readonly state: IntegrationState
  /** Why the service disabled it; empty if it did not. */
  readonly disabledBecause: string
  /** Failed requests in a row. */
  readonly failures: number
  /** When the first of them failed. */
  readonly failingSince: string
  /** When an event was last delivered. */
  readonly deliveredTime: string
  /** When something is sent next; empty if nothing is waiting, or while it is sent. */
  readonly nextAttemptTime: string
  /** How many agents have events that are still to be sent. */
  readonly waitingAgents: number
  /** Since when the oldest of them has been waiting. */
  readonly waitingSince: string
  /** Requests in the last 24 hours, without hours in which there were none. */
  readonly hours: readonly {
    /** The beginning of the hour. */
    readonly time: string
    /** Requests. */
    readonly attempts: number
    /** Those that failed. */
    readonly failures: number
  }[]
}

/** Whether events are sent: yes; yes, but the last requests failed; no, because the document says so; no, because the receiver was gone or failed for five days. Writing the integration enables it again. */
export type IntegrationState = 'ACTIVE' | 'FAILING' | 'PAUSED' | 'DISABLED'

export interface Invitation {
  readonly tenant: Tenant
  /** The role that the person gets. */
  readonly role: 'viewer' | 'member' | 'admin'
  /** The team that the person joins; empty for none. */
  readonly team: string
  /** The account of the admin. */
  readonly invitedBy: string
  /** Until when it can be accepted. */
  readonly expireTime: string
}

/** An invitation for one person. */
export interface InvitationEntry {
  /** The invitation’s id. It is not a secret. */
  readonly id: string
  /** The role that the person gets. */
  readonly role: 'viewer' | 'member' | 'admin'
  /** The team that the person joins as a member; empty for none. */
  readonly team: string
  /** Who it is for, as the admin wrote it. */
  readonly description: string
  /** The account of the admin. */
  readonly createdBy: string
  /** When it was created. */
  readonly createTime: string
  /** Until when it can be accepted. */
  readonly expireTime: string
  /** What became of it. */
  readonly state: 'open' | 'accepted' | 'revoked' | 'expired'
  /** The account of the person who accepted it; empty if it was not accepted. */
  readonly account: string
  /** The address that the link is sent to; empty if it is not sent. */
  readonly email: string
  /** What became of the e-mail with the link. */
  readonly mailState: 'none' | 'waiting' | 'sent' | 'failed'
  /** Why the e-mail could not be sent, or not yet; otherwise empty. */
  readonly mailError: string
}

export type KillAgentResponse = Readonly<Record<string, never>>

export interface KindDescription {
  /** The kind. */
  readonly kind: string
  /** What it is for. */
  readonly summary: string
  readonly inputFormat: InputFormat
  /** For Markdown: the field with the text below the front matter. */
  readonly bodyField: string
  /** The field of a write’s response that contains a one-time secret; empty if there is none. */
  readonly oneTimeSecret: string
  /** The JSON Schema (2020-12). */
  readonly schema: {
    readonly [field: string]: unknown
  }
}

/** A person who left, and what ended as a result. */
export interface LeaverEntry {
  /** The person’s account. */
  readonly account: string
  /** The directory that said so. */
  readonly directory: string
  /** When their sessions, keys and share links ended. */
  readonly leaveTime: string
  /** When everything else had ended. */
  readonly endTime: string
  /** How many of their agents were killed, with children. */
  readonly killedAgents: number
  /** Integrations, schedules and triggers that they last changed. They are paused until someone else resumes them. */
  readonly paused: readonly PausedResource[]
  /** Tokens of other accounts and directories that they wrote, at most 200. They go on working, and the leaver may know their keys: rotate or delete them. */
  readonly minted: readonly MintedResource[]
  /** What keeps it from ending. Empty if nothing does. */
  readonly problem: string
}

export interface LinkableProvider {
  /** The name of the identity provider. */
  readonly name: string
  /** What people know it as. */
  readonly title: string
}

/** Another account of the same person. */
export interface LinkedAccount {
  /** The identity provider that the account belongs to. */
  readonly identityProvider: string
  /** What people know it as. */
  readonly title: string
  readonly ownerProvider: Provider
  /** The account. */
  readonly account: string
  /** When it was linked. */
  readonly linkTime: string
  /** Whether pull requests of the person’s agents can be opened as this account. If not, and its identity provider has `opensPullRequests`, link it again. */
  readonly opensPullRequests: boolean
}

export interface ListAgentsRequest extends WatchAgentsRequest {
  /** Maximum number of entries. Default: 1,000. */
  readonly pageSize?: number | undefined
  /** The nextPageToken of the page before. */
  readonly pageToken?: string | undefined
}

export interface ListAgentsResponse {
  readonly entries: readonly AgentEntry[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListAuditResponse {
  readonly entries: readonly AuditEntry[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
  /** Where a watch continues. Keep the first page’s cursor. */
  readonly cursor: string
}

export interface ListBudgetsResponse {
  readonly budgets: readonly BudgetEntry[]
}

export interface ListDeadLettersResponse {
  readonly deadLetters: readonly DeadLetter[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListDeliveriesResponse {
  readonly deliveries: readonly Delivery[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListDiffsRequest {
  readonly agentId: AgentIdInput
}

export interface ListDiffsResponse {
  readonly diffs: readonly Diff[]
}

export interface ListFiringsResponse {
  readonly firings: readonly Firing[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListFleetPullRequestsRequest {
  /** Agents of one tenant. */
  readonly agentIds: readonly AgentIdInput[]
}

export interface ListFleetPullRequestsResponse {
  readonly agents: readonly FleetPullRequest[]
}

export interface ListFleetRequest {
  /** Whose agents: empty for yours, * for everyone’s, a name, or provider/name. */
  readonly account?: string | undefined
  /** Only agents of this workspace. */
  readonly workspace?: string | undefined
  readonly tenant?: TenantInput | undefined
  /** Whether to include agents that have ended. */
  readonly includeTerminal?: boolean | undefined
  /** Labels that must match, such as team=payments,env=dev. */
  readonly labelSelector?: string | undefined
  /** Only agents in these phases. */
  readonly phases?: readonly Phase[] | undefined
  readonly under?: AgentIdInput | undefined
  /** Maximum number of entries. Default: 1,000. */
  readonly pageSize?: number | undefined
  /** The nextPageToken of the page before. */
  readonly pageToken?: string | undefined
}

export interface ListFleetResponse {
  readonly entries: readonly FleetEntry[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
  /** Where a watch of the same fleet continues. Keep the first page’s cursor. */
  readonly cursor: string
}

export interface ListFollowUpsRequest {
  readonly agentId: AgentIdInput
  /** Maximum number of entries. Default: 1,000. */
  readonly pageSize?: number | undefined
  /** The nextPageToken of the page before. */
  readonly pageToken?: string | undefined
}

export interface ListFollowUpsResponse {
  /** The messages. */
  readonly followUps: readonly FollowUp[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListIntegrationsResponse {
  readonly integrations: readonly IntegrationEntry[]
}

export interface ListInvitationsResponse {
  readonly invitations: readonly InvitationEntry[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListKindsResponse {
  readonly kinds: readonly KindDescription[]
}

export interface ListLeaversResponse {
  readonly leavers: readonly LeaverEntry[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListLinkedAccountsResponse {
  readonly links: readonly LinkedAccount[]
  /** Identity providers of which the caller can link an account. */
  readonly providers: readonly LinkableProvider[]
}

export interface ListPullRequestsRequest {
  readonly agentId: AgentIdInput
}

export interface ListPullRequestsResponse {
  readonly pullRequests: readonly AgentPullRequest[]
}

export interface ListResourcesResponse {
  /** The kind. */
  readonly kind: string
  readonly inputFormat: InputFormat
  readonly entries: readonly ResourceListEntry[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListRunnersResponse {
  readonly runners: readonly RunnerEntry[]
  readonly pools: readonly PoolEntry[]
}

export interface ListSchedulesResponse {
  readonly schedules: readonly ScheduleEntry[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListSessionsResponse {
  readonly sessions: readonly SessionEntry[]
}

export interface ListSignInProvidersResponse {
  readonly providers: readonly SignInProvider[]
}

export interface ListStartingRepositoriesResponse {
  readonly repositories: readonly StartingRepository[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListTasksRequest {
  readonly agentId: AgentIdInput
}

export interface ListTasksResponse {
  /** The whole checklist, in order. */
  readonly tasks: readonly Task[]
  /** Those that prevent completion: active, and neither completed nor deleted. */
  readonly openTaskIds: readonly string[]
}

export interface ListTenantsResponse {
  readonly tenants: readonly TenantEntry[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListTriggerDeliveriesResponse {
  readonly deliveries: readonly TriggerDelivery[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ListTriggersResponse {
  readonly triggers: readonly TriggerEntry[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface Login {
  /** Identifies the login. */
  readonly loginId: string
  /** Whether the browser is sent back to the machine, or a code was typed. */
  readonly way: 'browser' | 'code'
  /** What the machine calls itself. The name is not verified. */
  readonly hostName: string
  /** Where the request came from. */
  readonly address: string
  /** Whether this browser’s requests come from the same address. False if only the address of a proxy is known. */
  readonly isSameAddress: boolean
  /** When it was started. */
  readonly createTime: string
  /** When it can no longer be confirmed. */
  readonly expireTime: string
}

/** Who a message is from: a caller of the API, a child that reports to its parent, or the service itself. */
export type MessageOrigin = 'CALLER' | 'CHILD' | 'PLATFORM'

export interface MintedResource {
  /** The kind. */
  readonly kind: string
  /** The name. */
  readonly name: string
}

export interface PausedResource {
  /** The kind. */
  readonly kind: string
  /** The name. */
  readonly name: string
}

/** Something that the service allows a caller to do. */
export type Permission =
  | 'identity.read'
  | 'session.open'
  | 'share.read'
  | 'catalog.read'
  | 'catalog.write'
  | 'ceiling.write'
  | 'audit.read'
  | 'agent.follow'
  | 'agent.read'
  | 'agent.drive'
  | 'agent.drive-any'
  | 'run.execute'
  | 'people.provision'
  | 'tenant.manage'

/** What the service allows the caller. */
export interface Permissions {
  /** What the caller may do. `agent.drive` covers the caller’s own agents, `agent.drive-any` everyone’s. */
  readonly permissions: readonly Permission[]
  /** The roles of the tokens that the caller may create, change or delete. */
  readonly grantableRoles: readonly Role[]
  /** Whether catalog writes require a justification. */
  readonly mustJustify: boolean
  /** Workspaces of the caller’s teams, where these permissions count instead. Empty if teams don’t limit the caller. */
  readonly workspaces: readonly WorkspacePermissions[]
}

/** The state of the agent. The last three are terminal. */
export type Phase =
  | 'PHASE_UNSPECIFIED'
  | 'PHASE_PENDING'
  | 'PHASE_RUNNING'
  | 'PHASE_WAITING'
  | 'PHASE_COMPLETED'
  | 'PHASE_FAILED'
  | 'PHASE_CANCELED'

/** The load of one pool, in this tenant. */
export interface PoolEntry {
  /** The pool. */
  readonly name: string
  /** Runs that a runner could take now. */
  readonly queued: number
  /** Since when the longest-waiting run could have been taken. */
  readonly queuedSince: string
  /** Runs that wait for a retry or for a provider’s limit to reset. */
  readonly delayed: number
  /** Runs that a runner executes. */
  readonly running: number
}

export interface PreviewScheduleRequest {
  /** When it fires, as five fields: minute, hour, day of the month, month, day of the week. If neither day is *, one of them must match. */
  readonly cron?: string | undefined
  /** Instead of cron: the interval, counted from startTime or from when the schedule was created. */
  readonly every?: string | undefined
  /** The IANA time zone of the cron expression. */
  readonly timeZone?: string | undefined
  /** Each firing is delayed by up to this long, at most until the next. */
  readonly jitter?: string | undefined
  /** It does not fire before this time. Default: it starts at once. */
  readonly startTime?: string | undefined
  /** It does not fire after this time. Default: never. */
  readonly endTime?: string | undefined
}

export interface PreviewScheduleResponse {
  /** The next ten, or fewer if it ends. */
  readonly nextFirings: readonly FiringTime[]
}

/** The namespace an organization or an owner belongs to. Namespaces never mix. */
export type Provider =
  | 'PROVIDER_UNSPECIFIED'
  | 'PROVIDER_CODEHOST_OAUTH'
  | 'PROVIDER_CODEHOST_APP'
  | 'PROVIDER_IDP_OIDC'
  | 'PROVIDER_SERVICE_PROFILE'

/** A branch that the agent has pushed. */
export interface PushedBranch {
  /** The repository. */
  readonly repo: string
  /** The branch. */
  readonly branch: string
  /** The commit that it pointed to after the last push. */
  readonly commit: string
}

export interface QueueFollowUpRequest {
  readonly agentId: AgentIdInput
  /** The message. */
  readonly description?: string | undefined
  /** Added to the checklist. */
  readonly tasks?: readonly TaskInput[] | undefined
  /** The persona. Empty: the workspace’s default, or no change. */
  readonly agent?: string | undefined
  /** The model. Empty: the persona’s, or no change. */
  readonly model?: string | undefined
  /** How hard the model thinks: low, medium, high, xhigh or max on backend A; none to xhigh on B. */
  readonly reasoningEffort?: string | undefined
  /** Backend B only: standard, fast or flex. */
  readonly serviceTier?: string | undefined
  /** Whether to trade cost for speed. Absent: no change. */
  readonly fastMode?: boolean | undefined
  /** A JSON Schema (2020-12), as a string, for structured output. Empty: no change. */
  readonly outputSchema?: string | undefined
  /** Your own id for the message. Sending it again within one incarnation of the agent changes nothing, unless it was removed in between. Use an Idempotency-Key if a retry must not reach a later incarnation. Generated if empty. */
  readonly followUpId?: string | undefined
  /** Clear the queue, interrupt the turn and deliver this message next, in one step. */
  readonly preempt?: boolean | undefined
  /** Deliver the message in the turn in progress, if there is one and the backend supports it; otherwise as usual. Only for messages without settings or tasks. */
  readonly steer?: boolean | undefined
  /** Defer the message until then: at most 30 days ahead, not with preempt. */
  readonly deliverAt?: string | undefined
}

export interface QueueFollowUpResponse {
  /** The message’s id. */
  readonly followUpId: string
}

export interface ReadDeliveryResponse {
  readonly delivery: Delivery
  /** Where the integration sends events now; empty if only a secret knows. */
  readonly url: string
  /** In lower case, without the signature. The value is empty for a header from a secret. */
  readonly headers: Readonly<Record<string, string>>
  /** The body; empty for a message for people, and if the agent was deleted. */
  readonly body: string
}

export interface ReadDiffRequest {
  readonly agentId: AgentIdInput
  /** The diff. */
  readonly diffId: string
  /** Whether to read the hunks too. Default: only which files changed. */
  readonly withPatches?: boolean | undefined
  /** Only the file with this index. */
  readonly file?: number | undefined
  /** Maximum number of entries. Default: 1,000. */
  readonly pageSize?: number | undefined
  /** The nextPageToken of the page before. */
  readonly pageToken?: string | undefined
}

export interface ReadDiffResponse {
  readonly diff: Diff
  readonly files: readonly DiffFile[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ReadInvitationRequest {
  /** From the fragment of the link. */
  readonly code: string
}

export interface ReadTenantResponse {
  readonly tenant: TenantEntry
  /** What runners still hold for a tenant that is being deleted, by pool. */
  readonly held: readonly HeldByRunners[]
}

export interface ReadTimelineRequest {
  readonly agentId: AgentIdInput
  /** Only events after this sequence number; 0 for all. */
  readonly afterSequence?: string | undefined
  /** Maximum number of entries. Default: 1,000. */
  readonly pageSize?: number | undefined
}

export interface ReadTimelineResponse {
  readonly events: readonly TimelineEvent[]
  /** The newest event; keep reading from your last one until you reach it. */
  readonly lastSequence: string
}

export interface ReadTriggerDeliveryResponse {
  readonly delivery: TriggerDelivery
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body; empty if it is no longer kept. */
  readonly body: string
}

export interface ReadUsageRequest {
  /** How far back. Default: 24h. */
  readonly period?: '24h' | '7d' | '30d' | undefined
  /** What is added up together. Default: workspace. */
  readonly groupBy?: 'workspace' | 'team' | 'persona' | 'model' | 'account' | 'label' | undefined
  /** With groupBy label: the label’s name. Agents without it are not included. */
  readonly label?: string | undefined
  readonly tenant?: TenantInput | undefined
}

export interface ReadUsageResponse {
  /** Oldest first, without gaps. */
  readonly times: readonly string[]
  /** The 20 that cost most, highest first. */
  readonly groups: readonly UsageGroup[]
  /** All other groups together, if there are more. */
  readonly others?:
    | {
        /** The workspace, team, persona, model, provider/account or value of the label; may be empty. */
        readonly name: string
        /** US dollars. */
        readonly cost: number
        /** Tokens read by models, cached ones included. */
        readonly inputTokens: string
        /** Of those, tokens from a cache. */
        readonly cachedInputTokens: string
        /** Tokens written by models. */
        readonly outputTokens: string
        /** One entry for each of the times. */
        readonly times: readonly {
          /** US dollars. */
          readonly cost: number
          /** Tokens read by models, cached ones included. */
          readonly inputTokens: string
          /** Of those, tokens from a cache. */
          readonly cachedInputTokens: string
          /** Tokens written by models. */
          readonly outputTokens: string
        }[]
      }
    | undefined
  /** How many those are. Values of a label beyond 500 in an hour count as one. */
  readonly otherGroups: number
  /** Everything together. */
  readonly total: {
    /** US dollars. */
    readonly cost: number
    /** Tokens read by models, cached ones included. */
    readonly inputTokens: string
    /** Of those, tokens from a cache. */
    readonly cachedInputTokens: string
    /** Tokens written by models. */
    readonly outputTokens: string
  }
}

export interface RedeliverRequest {
  readonly tenant?: TenantInput | undefined
  /** Why; goes into the audit log. Operators must give one. */
  readonly justification?: string | undefined
}

export interface RedeliverResponse {
  /** The new delivery. */
  readonly deliveryId: string
}

export interface RemoveFollowUpRequest {
  readonly agentId: AgentIdInput
  /** The message. */
  readonly followUpId: string
}

export interface RemoveFollowUpResponse {
  /** Whether there was such a message to remove. */
  readonly removed: boolean
}

export interface RenewSessionRequest {
  /** The newest one. */
  readonly renewalKey: string
}

export interface ReplayDeliveriesRequest {
  readonly tenant?: TenantInput | undefined
  readonly agentId?: AgentIdInput | undefined
  /** With agentId: the first event. Default: 1. Old events that were moved out of the database cannot be sent again. */
  readonly firstSequence?: string | undefined
  /** With agentId: the last event. Default: the newest. */
  readonly lastSequence?: string | undefined
  /** Everything since then. */
  readonly sinceTime?: string | undefined
  /** All dead letters. */
  readonly deadLetters?: boolean | undefined
  /** Why; goes into the audit log. Operators must give one. */
  readonly justification?: string | undefined
}

export interface ReplayDeliveriesResponse {
  /** Identifies the replay. */
  readonly replayId: string
  /** The number of agents whose events are sent. */
  readonly agents: number
}

/** One document of the catalog. */
export interface Resource {
  /** The kind. */
  readonly kind: string
  /** The document, as base64-encoded JSON. */
  readonly payload: string
  readonly inputFormat: InputFormat
  /** The version; 0 for a built-in. */
  readonly generation: string
}

export interface ResourceHistoryResponse {
  /** The kind. */
  readonly kind: string
  /** The name. */
  readonly name: string
  readonly entries: readonly ResourceVersion[]
  /** Names the next page; empty on the last. */
  readonly nextPageToken: string
}

export interface ResourceListEntry {
  /** The name within the kind. */
  readonly name: string
  /** The document, as base64-encoded JSON. */
  readonly payload: string
  /** The version; 0 for a built-in. */
  readonly generation: string
  /** Whether it is a built-in that the tenant has not shadowed. */
  readonly builtIn: boolean
}

export interface ResourceVersion {
  /** The version; 0 for a built-in. */
  readonly generation: string
  /** The operation that created this version. */
  readonly action: 'ACTION_UNSPECIFIED' | 'ACTION_CREATED' | 'ACTION_UPDATED' | 'ACTION_DELETED'
  /** The document, as base64-encoded JSON. */
  readonly payload: string
  /** When. */
  readonly updateTime: string
  /** The account. */
  readonly updatedBy: string
  /** Why, if a reason was given. */
  readonly justification: string
}

export interface ResumeTenantRequest {
  /** Why; goes into the audit log. Operators must give one. */
  readonly justification?: string | undefined
}

export type RevokeInvitationResponse = Readonly<Record<string, never>>

/** What the key may do: see the list of roles in the documentation. */
export type Role = 'viewer' | 'member' | 'admin' | 'operator' | 'runner' | 'run' | 'guest' | 'directory'

/** One turn of an agent. */
export interface Run {
  /** The run’s number. It keeps growing across all incarnations of the agent. */
  readonly runId: string
  readonly state: RunState
  /** When a runner started it. */
  readonly startTime: string
  /** When it ended. */
  readonly endTime: string
  /** The number of the attempt. After a lost lease there is another one. */
  readonly attempt: number
  readonly stopMode: StopTurnMode
  readonly endReason: RunEndReason
}

/** Why the run ended; empty until it has. */
export type RunEndReason =
  '' | 'finished' | 'asked' | 'rested' | 'interrupted' | 'killed' | 'failed' | 'lost' | 'limit'

export interface RunScheduleRequest {
  readonly tenant?: TenantInput | undefined
  /** Why; goes into the audit log. Operators must give one. */
  readonly justification?: string | undefined
}

export interface RunScheduleResponse {
  /** Identifies the firing in the log. */
  readonly dueTime: string
}

/** The state of the run. */
export type RunState = 'RUN_STATE_UNSPECIFIED' | 'RUN_STATE_QUEUED' | 'RUN_STATE_RUNNING' | 'RUN_STATE_ENDED'

/** A runner as last seen. If it does not report what it offers, these lists are empty. */
export interface RunnerEntry {
  /** Its own name, or its token’s if it has none. */
  readonly name: string
  /** The pools that it serves. */
  readonly pools: readonly string[]
  /** Whether it serves these pools in every tenant. */
  readonly servesAllTenants: boolean
  /** The version of its software. */
  readonly build: string
  /** When its process started, by its own clock; empty if not reported. */
  readonly startTime: string
  /** Runs at once. */
  readonly capacity: number
  readonly backends: readonly {
    /** The name, as the catalog has it. */
    readonly name: string
    /** The version of the program; empty if unknown. */
    readonly version: string
    /** Why it cannot be used and what to do about it; empty if it can. */
    readonly problem: string
    /** Why the runner’s own key for the provider does not work; empty if it does, or cannot be tested. */
    readonly keyProblem: string
  }[]
  readonly sandboxes: readonly {
    /** The name, as the catalog has it. */
    readonly name: string
    /** Why it cannot be used and what to do about it; empty if it can. */
    readonly problem: string
    /** Network policies in this sandbox; empty if not reported. */
    readonly networks: readonly {
      /** A network policy. */
      readonly name: 'none' | 'gateway' | 'open'
      /** Why it cannot be used and what to do about it; empty if it can. */
      readonly problem: string
    }[]
    /** The limits of a VM profile in this sandbox; empty if not reported. */
    readonly limits: readonly {
      /** A limit, by its field in the VM profile. */
      readonly name: 'cpus' | 'memoryMib' | 'diskMib' | 'processes'
      /** Why it cannot be used and what to do about it; empty if it can. */
      readonly problem: string
    }[]
    /** Additional notes. */
    readonly notes: readonly string[]
  }[]
  /** When it last asked for work, accurate to half a minute. */
  readonly seenTime: string
  /** Whether that was in the last 90 seconds. */
  readonly isOnline: boolean
}

/** A schedule, with its state. */
export interface ScheduleEntry {
  /** The name of the resource. */
  readonly name: string
  /** For people. */
  readonly description: string
  /** The expression; empty for an interval. */
  readonly cron: string
  /** The interval; empty for an expression. */
  readonly every: string
  /** The time zone of the expression. */
  readonly timeZone: string
  /** Whether it is paused. */
  readonly paused: boolean
  /** When it is carried out next; empty if never, or while it is paused. */
  readonly nextTime: string
  /** The newest firing; empty if there is none. */
  readonly last: readonly Firing[]
}

/** A schedule with its next firings. */
export interface ScheduleStatus extends ScheduleEntry {
  /** The next ten firings; none while it is paused. */
  readonly nextFirings: readonly FiringTime[]
}

/** A browser or a command line that is signed in. */
export interface SessionEntry {
  /** The session’s id. It is not a secret. */
  readonly id: string
  /** Whether a browser is signed in, or a command line. */
  readonly kind: 'browser' | 'command-line'
  /** The token used to sign in, or `identity-provider/` and the name of the identity provider. */
  readonly token: string
  /** The browser’s user agent, or what the machine of a command line calls itself. */
  readonly userAgent: string
  /** When it was opened. */
  readonly createTime: string
  /** When it expires. */
  readonly expireTime: string
  /** Whether this request used it. */
  readonly isCurrent: boolean
}

export interface SessionKeys {
  readonly identity: Identity
  /** What the command line sends instead of an API key. Valid for an hour. */
  readonly apiKey: string
  /** When the key expires. */
  readonly expireTime: string
  /** Gets the next keys from renewSession, once. */
  readonly renewalKey: string
  /** When the session ends, however often its keys are renewed. */
  readonly sessionExpireTime: string
}

export interface SetBudgetRequest {
  readonly agentId: AgentIdInput
  /** US dollars; 0 removes the budget. */
  readonly maxCost: number
}

export interface SetBudgetResponse {
  /** How many agents continue. */
  readonly resumed: number
}

export interface Share {
  readonly agentId: AgentId
  /** What the link is for, as described by its creator. */
  readonly description: string
  /** When the link stops working; empty for a link that does not expire. */
  readonly expireTime: string
}

export interface SignInLink {
  /** The first browser to open it is signed in as the caller. */
  readonly url: string
  /** When it expires if it is not used. */
  readonly expireTime: string
}

export interface SignInProvider {
  readonly tenant: Tenant
  /** The name of the identity provider. */
  readonly name: string
  /** What people know it as. */
  readonly title: string
}

export interface SignInRequest {
  /** The API key of a person, or the code of a sign-in link. Keys of runners, runs and share links cannot sign in. */
  readonly apiKey: string
  /** Random, generated and kept by the page. Only its digest is stored. */
  readonly pageSecret: string
}

export interface SignInResponse {
  readonly identity: Identity
  /** When the session expires. */
  readonly expireTime: string
}

export type SignOutResponse = Readonly<Record<string, never>>

export interface SpawnAgentRequest {
  readonly agentId?: AgentIdInput | undefined
  /** The work. */
  readonly description: string
  /** The expected result. */
  readonly expectedOutput?: string | undefined
  /** The first checklist. */
  readonly tasks?: readonly TaskInput[] | undefined
  /** The persona. Empty: the workspace’s default, or no change. */
  readonly agent?: string | undefined
  /** The model. Empty: the persona’s, or no change. */
  readonly model?: string | undefined
  /** How hard the model thinks: low, medium, high, xhigh or max on backend A; none to xhigh on B. */
  readonly reasoningEffort?: string | undefined
  /** Backend B only: standard, fast or flex. */
  readonly serviceTier?: string | undefined
  /** Whether to trade cost for speed. Absent: no change. */
  readonly fastMode?: boolean | undefined
  /** A JSON Schema (2020-12), as a string, for structured output. Empty: no change. */
  readonly outputSchema?: string | undefined
  /** Whether the agent completes automatically when its turn ends with nothing open. */
  readonly autoComplete?: boolean | undefined
  /** Budget in US dollars for the agent and its subtree; 0 means that it has no budget itself. */
  readonly maxCost?: number | undefined
  /** Arbitrary key-value pairs to find agents by. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Continues an agent that has ended. It keeps its conversation, branch, unfinished work, open tasks, settings and budget with what was spent of it; the description is its next message. Everything else in the request replaces what the agent had. Its backend cannot change. */
  readonly resume?: boolean | undefined
}

export interface SpawnAgentResponse {
  readonly agentId: AgentId
  /** The first message. */
  readonly followUpId: string
  /** The agent’s page in the dashboard. */
  readonly dashboardUrl: string
}

export interface StartAccountLinkRequest {
  /** The name of the identity provider. */
  readonly name: string
}

export interface StartAccountLinkResponse {
  /** Where to send the browser. */
  readonly url: string
}

export interface StartLoginRequest {
  /** The SHA-256 of the code verifier, in base64url (RFC 7636, S256). */
  readonly codeChallenge: string
  /** The port of the command line’s own machine that the browser is sent to. Default: none. */
  readonly port?: number | undefined
  /** What the machine calls itself, to show to the person. */
  readonly hostName?: string | undefined
}

export interface StartLoginResponse {
  /** Identifies the login. */
  readonly loginId: string
  /** The page where the person confirms it. */
  readonly url: string
  /** What the person types there; empty with a port. */
  readonly userCode: string
  /** How long to wait between two calls of finishLogin. */
  readonly intervalSeconds: number
  /** When it can no longer be confirmed. */
  readonly expireTime: string
}

export interface StartSignInRequest {
  readonly tenant: TenantInput
  /** The name of the identity provider. */
  readonly name: string
  /** Random, generated and kept by the page. Only its digest is stored. */
  readonly pageSecret: string
}

export interface StartSignInResponse {
  /** Where to send the browser. */
  readonly url: string
}

/** A repository whose issues start agents, with its state. */
export interface StartingRepository {
  /** The workspace whose agents are started. */
  readonly workspace: string
  /** The code host. */
  readonly codeHost: string
  /** The repository on it, as owner/name, in lower case. */
  readonly repository: string
  /** Why its issues could not be listed, and what to do about it; empty if they could. */
  readonly problem: string
  /** How often in a row they could not be listed. */
  readonly failures: number
  /** Issues that changed before this were found. Webhooks find newer ones. */
  readonly readTime: string
  /** When they are listed next; empty if not known yet. */
  readonly nextReadTime: string
}

/** INTERRUPT lets the turn report its cost and answer; KILL ends it immediately. Unspecified means INTERRUPT. */
export type StopTurnMode = 'STOP_TURN_MODE_UNSPECIFIED' | 'STOP_TURN_MODE_INTERRUPT' | 'STOP_TURN_MODE_KILL'

export interface StopTurnRequest {
  readonly agentId: AgentIdInput
  /** The current run’s number: runCount of the status. */
  readonly runId: string
  readonly mode?: StopTurnMode | undefined
}

export type StopTurnResponse = Readonly<Record<string, never>>

export interface SummarizeFleetRequest {
  /** Whose agents: empty for yours, * for everyone’s, a name, or provider/name. */
  readonly account?: string | undefined
  /** Only agents of this workspace. */
  readonly workspace?: string | undefined
  readonly tenant?: TenantInput | undefined
  /** How many hours back, including the current one. Default: 24. */
  readonly hours?: number | undefined
}

export interface SummarizeFleetResponse {
  /** Every phase, including those without agents. */
  readonly phases: readonly {
    readonly phase: Phase
    /** Number of agents in it; for a terminal phase, those that ended in these hours. */
    readonly agents: number
  }[]
  /** How many agents have a question. */
  readonly needsInput: number
  /** Every hour, oldest first, including those without spend. */
  readonly spend: readonly HourOfSpend[]
  /** All hours together, in US dollars. */
  readonly costTotal: number
  /** Workspaces with live agents or spend, by name. */
  readonly workspaces: readonly {
    /** Its name. */
    readonly workspace: string
    /** How many live agents it has. */
    readonly agents: number
    /** What was spent there in these hours, in US dollars. */
    readonly cost: number
  }[]
}

export interface SuspendTenantRequest {
  /** Why; goes into the audit log. Operators must give one. */
  readonly justification?: string | undefined
}

/** An item on an agent’s checklist. */
export interface Task {
  /** Unique within the agent. */
  readonly id: string
  /** What to do, in one line. */
  readonly subject: string
  /** What a person or agent needs to know to do it. */
  readonly description: string
  readonly status: TaskStatus
  /** Tasks that wait for this one. */
  readonly blocks: readonly string[]
  /** Tasks that this one waits for. */
  readonly blockedBy: readonly string[]
  readonly activation: TaskActivation
  /** The persona that the task comes from; empty for other origins. */
  readonly persona: string
  /** The external object that the task tracks; empty for tasks that callers create. */
  readonly dedupKey: string
  /** Whether the task is removed when its run ends. */
  readonly ephemeral: boolean
}

/** When the task becomes active. Without a condition it is always active. */
export interface TaskActivation {
  /** Active once the agent pushes such a file in this run. */
  readonly filesModified?:
    | {
        /** A glob for file paths, with *, **, ?, [a-z] and {a,b}; a leading ! means every other file. Empty matches any file. */
        readonly pattern?: string | undefined
      }
    | undefined
}

/** A checklist item to create. */
export interface TaskInput {
  /** Generated if empty. */
  readonly id?: string | undefined
  /** What to do, in one line. */
  readonly subject: string
  /** What a person or agent needs to know to do it. */
  readonly description?: string | undefined
  readonly status?: TaskStatus | undefined
  /** Tasks that wait for this one. */
  readonly blocks?: readonly string[] | undefined
  /** Tasks that this one waits for. */
  readonly blockedBy?: readonly string[] | undefined
  readonly activation?: TaskActivation | undefined
  /** Set by the service; ignored. */
  readonly persona?: string | undefined
  /** Set by the service; ignored. */
  readonly dedupKey?: string | undefined
  /** Set by the service; ignored. */
  readonly ephemeral?: boolean | undefined
}

/** The state of the task. */
export type TaskStatus =
  | 'TASK_STATUS_UNSPECIFIED'
  | 'TASK_STATUS_PENDING'
  | 'TASK_STATUS_IN_PROGRESS'
  | 'TASK_STATUS_COMPLETED'
  | 'TASK_STATUS_DELETED'

/** What to change about a task. Omitted fields stay as they are. */
export interface TaskUpdate {
  /** Unique within the agent. */
  readonly id: string
  /** What to do, in one line. */
  readonly subject?: string | undefined
  /** What a person or agent needs to know to do it. */
  readonly description?: string | undefined
  readonly status?: TaskStatus | undefined
  /** Replaces the list of tasks that wait for this one. */
  readonly blocks?: readonly string[] | undefined
  /** Replaces the list of tasks that this one waits for. */
  readonly blockedBy?: readonly string[] | undefined
  readonly activation?: TaskActivation | undefined
  /** Set by the service; ignored. */
  readonly persona?: string | undefined
  /** Set by the service; ignored. */
  readonly dedupKey?: string | undefined
  /** Set by the service; ignored. */
  readonly ephemeral?: boolean | undefined
}

export interface TasksResponse {
  /** The whole checklist, in order. */
  readonly tasks: readonly Task[]
}

/** An organization within a provider: the unit that everything belongs to. */
export interface Tenant {
  readonly provider: Provider
  /** The organization’s name, or the user’s if the tenant is one person. */
  readonly org: string
}

/** A tenant, as operators see it. */
export interface TenantEntry {
  /** The tenant’s id. A tenant that is created after another of its name was deleted has another one. */
  readonly id: string
  readonly tenant: Tenant
  /** Whether it is suspended or being deleted. */
  readonly state:
    'TENANT_STATE_UNSPECIFIED' | 'TENANT_STATE_ACTIVE' | 'TENANT_STATE_SUSPENDED' | 'TENANT_STATE_DELETING'
  /** When it was created. */
  readonly createTime: string
  /** When it was suspended; empty if it is not. */
  readonly suspendTime: string
  /** When its deletion began; empty if it is not being deleted. */
  readonly deleteTime: string
}

/** One line of a tenant’s export. */
export interface TenantExportLine {
  /** The first, a row, or the last. Without the last one, the export is not complete. */
  readonly type: 'EXPORT_LINE_UNSPECIFIED' | 'EXPORT_STARTED' | 'EXPORT_ROW' | 'EXPORT_FINISHED'
  /** Of the first: skein-tenant-1. */
  readonly format: string
  readonly tenant?: Tenant | undefined
  /** Of the first: the point in time that all rows are from. */
  readonly exportTime: string
  /** Of a row: its table. */
  readonly table: string
  /** Of a row: its columns. */
  readonly row: {
    readonly [field: string]: unknown
  }
  /** Of the last: how many rows there were. */
  readonly rows: string
}

export interface TenantInput {
  readonly provider?: Provider | undefined
  /** The organization. Default: yours. */
  readonly org?: string | undefined
}

export interface TestIntegrationRequest {
  readonly tenant?: TenantInput | undefined
}

export interface TestIntegrationResponse {
  /** Whether the receiver accepted it. */
  readonly isDelivered: boolean
  /** The status of the response; 0 if there was none. */
  readonly status: number
  /** Why it failed; empty if it was delivered. */
  readonly error: string
  /** How long it took, in milliseconds. */
  readonly latencyMs: number
  /** The beginning of the response, up to 2 KiB. */
  readonly response: string
}

export interface TestTriggerRequest {
  readonly tenant?: TenantInput | undefined
  /** The trigger’s name. Default: test. */
  readonly name?: string | undefined
  /** The document, base64-encoded JSON, as in a catalog write. */
  readonly payload: string
  /** The body of the sample request. */
  readonly body: string
  /** Its headers, in lower case, without those that the trigger would not store. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface TestTriggerResponse {
  /** What would happen. SENT: with spawn, the agent is started instead if it is not alive. */
  readonly outcome: 'IGNORED' | 'REFUSED' | 'SPAWNED' | 'SENT'
  /** Why nothing would happen; empty if something would. */
  readonly reason: string
  /** The name of the agent; empty if there is none. */
  readonly agent: string
  /** The task of the agent that would be started; empty if none would. */
  readonly description: string
  /** The message; empty if none would be sent. */
  readonly message: string
  /** Labels of an agent that is started. */
  readonly labels: Readonly<Record<string, string>>
}

/** One thing that happened to an agent. Immutable. */
export type TimelineEvent =
  | TimelineEventAgentSpawned
  | TimelineEventAgentPhaseChanged
  | TimelineEventAgentSettingsChanged
  | TimelineEventAgentBudgetChanged
  | TimelineEventAgentBudgetReached
  | TimelineEventFollowUpQueued
  | TimelineEventFollowUpDeferred
  | TimelineEventFollowUpDue
  | TimelineEventFollowUpDelivered
  | TimelineEventFollowUpCleared
  | TimelineEventFollowUpRemoved
  | TimelineEventFollowUpDropped
  | TimelineEventRunQueued
  | TimelineEventRunStarted
  | TimelineEventRunProgressed
  | TimelineEventRunMessage
  | TimelineEventRunToolStarted
  | TimelineEventRunToolCalled
  | TimelineEventRunPushed
  | TimelineEventRunMetered
  | TimelineEventRunStopRequested
  | TimelineEventRunAttemptLost
  | TimelineEventRunAttemptFailed
  | TimelineEventRunSaved
  | TimelineEventRunPaused
  | TimelineEventRunEnded
  | TimelineEventTaskCreated
  | TimelineEventTaskUpdated
  | TimelineEventTaskRemoved
  | TimelineEventTaskActivated
  | TimelineEventChildrenAwaited
  | TimelineEventChildSpawned
  | TimelineEventChildPhaseChanged

export interface TimelineEventAgentBudgetChanged {
  readonly type: 'agent.budget-changed'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The new budget of the agent and its subtree, in US dollars; 0 means no limit. */
  readonly maxCost: number
}

export interface TimelineEventAgentBudgetReached {
  readonly type: 'agent.budget-reached'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** How much of the budget is spent: 80 or 100. */
  readonly percent: number
  /** The budget of the agent and its subtree, in US dollars. */
  readonly maxCost: number
  /** What they have spent of it, in US dollars. */
  readonly spent: number
}

export interface TimelineEventAgentPhaseChanged {
  readonly type: 'agent.phase-changed'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  readonly from: Phase
  readonly to: Phase
  /** Its question, if it is now waiting. */
  readonly needsInput: string
}

export interface TimelineEventAgentSettingsChanged {
  readonly type: 'agent.settings-changed'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The persona now active. */
  readonly persona: string
  /** The model now active. */
  readonly model: string
  /** The effort now active. */
  readonly reasoningEffort: string
  /** The tier now active. */
  readonly serviceTier: string
  /** Whether fast mode is now on. */
  readonly fastMode: boolean
}

export interface TimelineEventAgentSpawned {
  readonly type: 'agent.spawned'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The work it was given. */
  readonly description: string
  /** The incarnation. */
  readonly incarnation: string
  /** Whether it continues the conversation of the previous incarnation. */
  readonly resumed: boolean
}

export interface TimelineEventChildPhaseChanged {
  readonly type: 'child.phase-changed'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  readonly child: AgentId
  readonly phase: Phase
}

export interface TimelineEventChildSpawned {
  readonly type: 'child.spawned'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  readonly child: AgentId
}

export interface TimelineEventChildrenAwaited {
  readonly type: 'children.awaited'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** Names of the children whose end the agent waits for. */
  readonly children: readonly string[]
}

export interface TimelineEventFollowUpCleared {
  readonly type: 'follow-up.cleared'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The message. */
  readonly followUpId: string
}

export interface TimelineEventFollowUpDeferred {
  readonly type: 'follow-up.deferred'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  readonly followUp: FollowUp
  readonly origin: MessageOrigin
  /** The name of the child that the message is from; empty unless origin is CHILD. */
  readonly child: string
}

export interface TimelineEventFollowUpDelivered {
  readonly type: 'follow-up.delivered'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The message. */
  readonly followUpId: string
  /** The run. */
  readonly runId: string
  /** Whether the message was delivered during the run, not at its start. */
  readonly steered: boolean
}

export interface TimelineEventFollowUpDropped {
  readonly type: 'follow-up.dropped'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The message. */
  readonly followUpId: string
  /** Why it will not be delivered. */
  readonly cause: string
}

export interface TimelineEventFollowUpDue {
  readonly type: 'follow-up.due'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The message. */
  readonly followUpId: string
}

export interface TimelineEventFollowUpQueued {
  readonly type: 'follow-up.queued'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  readonly followUp: FollowUp
  readonly origin: MessageOrigin
  /** The name of the child that the message is from; empty unless origin is CHILD. */
  readonly child: string
}

export interface TimelineEventFollowUpRemoved {
  readonly type: 'follow-up.removed'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The message. */
  readonly followUpId: string
}

export interface TimelineEventRunAttemptFailed {
  readonly type: 'run.attempt-failed'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  /** The attempt that failed; another one follows. */
  readonly attempt: number
  /** What went wrong. */
  readonly message: string
}

export interface TimelineEventRunAttemptLost {
  readonly type: 'run.attempt-lost'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  /** The attempt whose lease expired. */
  readonly attempt: number
}

export interface TimelineEventRunEnded {
  readonly type: 'run.ended'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  readonly reason: RunEndReason
  /** What the agent said at the end. */
  readonly message: string
  readonly error: {
    /** The class of the failure; empty if there is none. */
    readonly code: string
    /** What went wrong. */
    readonly message: string
  }
}

export interface TimelineEventRunMessage {
  readonly type: 'run.message'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  /** What the agent said. */
  readonly text: string
}

export interface TimelineEventRunMetered {
  readonly type: 'run.metered'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  /** What was spent since the last report, in US dollars. */
  readonly cost: number
  /** Tokens read. */
  readonly inputTokens: string
  /** Of those, tokens from a cache. */
  readonly cachedInputTokens: string
  /** Tokens written. */
  readonly outputTokens: string
  /** The model that was called; empty if the runner does not say. */
  readonly model: string
}

export interface TimelineEventRunPaused {
  readonly type: 'run.paused'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  /** The attempt that was paused; the next one continues its session. */
  readonly attempt: number
  /** The earliest time the run continues. */
  readonly resumeTime: string
  /** Why it paused. */
  readonly message: string
}

export interface TimelineEventRunProgressed {
  readonly type: 'run.progressed'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  /** What the agent says it is doing. */
  readonly message: string
}

export interface TimelineEventRunPushed {
  readonly type: 'run.pushed'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  /** The repository. */
  readonly repo: string
  /** The ref. */
  readonly ref: string
  /** The commit it now points to. */
  readonly commit: string
  /** Files that the push changed. */
  readonly files: readonly string[]
}

export interface TimelineEventRunQueued {
  readonly type: 'run.queued'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
}

export interface TimelineEventRunSaved {
  readonly type: 'run.saved'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
}

export interface TimelineEventRunStarted {
  readonly type: 'run.started'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  /** The attempt. */
  readonly attempt: number
  /** The runner. */
  readonly runner: string
}

export interface TimelineEventRunStopRequested {
  readonly type: 'run.stop-requested'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  readonly mode: StopTurnMode
}

export interface TimelineEventRunToolCalled {
  readonly type: 'run.tool-called'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  /** Identifies the call: the same in the events for its start and its end. */
  readonly callId: string
  /** The tool. */
  readonly tool: string
  /** Its input. */
  readonly input: string
  /** Its output. */
  readonly output: string
  /** Whether the call failed; the output then says why. */
  readonly failed: boolean
}

export interface TimelineEventRunToolStarted {
  readonly type: 'run.tool-started'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The run. */
  readonly runId: string
  /** Identifies the call: the same in the events for its start and its end. */
  readonly callId: string
  /** The tool. */
  readonly tool: string
  /** The beginning of its input. */
  readonly input: string
}

export interface TimelineEventTaskActivated {
  readonly type: 'task.activated'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The task. */
  readonly taskId: string
  /** The run. */
  readonly runId: string
}

export interface TimelineEventTaskCreated {
  readonly type: 'task.created'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  readonly task: Task
}

export interface TimelineEventTaskRemoved {
  readonly type: 'task.removed'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  /** The task. */
  readonly taskId: string
}

export interface TimelineEventTaskUpdated {
  readonly type: 'task.updated'
  /** Numbers the agent’s events from 1, without gaps. */
  readonly sequence: string
  readonly agentId: AgentId
  /** When it happened. */
  readonly time: string
  /** Who caused it: an account, the runner’s token, or the service itself. */
  readonly actor: string
  readonly task: Task
}

/** A request to a trigger, with its outcome. */
export interface TriggerDelivery {
  /** Identifies the delivery. */
  readonly id: string
  /** When it was received. */
  readonly time: string
  readonly outcome: TriggerOutcome
  /** Why nothing happened, or why it is retried; otherwise empty. */
  readonly reason: string
  /** The agent that was started or got the message; empty if there is none. */
  readonly agent: string
  /** Its workspace; empty if it has none. */
  readonly workspace: string
  /** The service profile that owns it; empty if it has none. */
  readonly account: string
  /** When it was applied. */
  readonly endTime: string
  /** The delivery that this one repeats; empty if it repeats none. */
  readonly redeliveryOf: string
  /** Whether its body is kept, so that it can be redelivered. */
  readonly isKept: boolean
}

/** A trigger, with its state. */
export interface TriggerEntry {
  /** The name of the resource. */
  readonly name: string
  /** For people. */
  readonly description: string
  /** How a sender proves who it is, such as github. */
  readonly sender: string
  /** The workspace of the agents. */
  readonly workspace: string
  /** The service profile that owns the agents. */
  readonly profile: string
  /** Whether requests are only recorded. */
  readonly paused: boolean
  /** How many requests are still to be applied. */
  readonly pending: number
  /** The newest request; empty if there was none in the last seven days. */
  readonly last: readonly TriggerDelivery[]
  /** Requests in the last 24 hours, without hours in which there were none. Those that were refused or failed count as failures. */
  readonly hours: readonly {
    /** The beginning of the hour. */
    readonly time: string
    /** Requests. */
    readonly attempts: number
    /** Those that failed. */
    readonly failures: number
  }[]
}

/** What became of a delivery: not applied yet; the condition is false or the trigger paused; an agent was started; a message was sent; it cannot be applied; applying it failed for an hour. */
export type TriggerOutcome = 'PENDING' | 'IGNORED' | 'SPAWNED' | 'SENT' | 'REFUSED' | 'FAILED'

export type UnlinkAccountResponse = Readonly<Record<string, never>>

export interface UpdateTasksRequest {
  readonly agentId: AgentIdInput
  readonly tasks: readonly TaskUpdate[]
}

/** What one group used. */
export interface UsageGroup {
  /** The workspace, team, persona, model, provider/account or value of the label; may be empty. */
  readonly name: string
  /** US dollars. */
  readonly cost: number
  /** Tokens read by models, cached ones included. */
  readonly inputTokens: string
  /** Of those, tokens from a cache. */
  readonly cachedInputTokens: string
  /** Tokens written by models. */
  readonly outputTokens: string
  /** One entry for each of the times. */
  readonly times: readonly {
    /** US dollars. */
    readonly cost: number
    /** Tokens read by models, cached ones included. */
    readonly inputTokens: string
    /** Of those, tokens from a cache. */
    readonly cachedInputTokens: string
    /** Tokens written by models. */
    readonly outputTokens: string
  }[]
}

export interface WaitForAgentResponse {
  readonly reason: WaitReason
  readonly status: AgentStatus
}

/** What ended the wait; unspecified if the caller’s preferred time ran out first. */
export type WaitReason =
  | 'WAIT_REASON_UNSPECIFIED'
  | 'WAIT_REASON_COMPLETED'
  | 'WAIT_REASON_FAILED'
  | 'WAIT_REASON_CANCELED'
  | 'WAIT_REASON_WAITING'

export interface WatchAgentRequest {
  readonly agentId: AgentIdInput
  /** Only events after this sequence number; 0 for all. */
  readonly afterSequence?: string | undefined
}

export interface WatchAgentsRequest {
  readonly parentId?: AgentIdInput | undefined
  /** Whose agents: empty for yours, * for everyone’s, a name, or provider/name such as service_profile/ci. */
  readonly account?: string | undefined
  /** Whether to include agents that have ended. */
  readonly includeTerminal?: boolean | undefined
  readonly tenant?: TenantInput | undefined
  /** Labels that must match, such as team=payments,env=dev. */
  readonly labelSelector?: string | undefined
  /** Only agents in these phases. */
  readonly phases?: readonly Phase[] | undefined
}

export interface WatchFleetRequest {
  /** Whose agents: empty for yours, * for everyone’s, a name, or provider/name. */
  readonly account?: string | undefined
  /** Only agents of this workspace. */
  readonly workspace?: string | undefined
  readonly tenant?: TenantInput | undefined
  /** Whether to include agents that have ended. */
  readonly includeTerminal?: boolean | undefined
  /** Labels that must match, such as team=payments,env=dev. */
  readonly labelSelector?: string | undefined
  /** Only agents in these phases. */
  readonly phases?: readonly Phase[] | undefined
  readonly under?: AgentIdInput | undefined
  /** The cursor of a list, or of the last change seen. */
  readonly after?: string | undefined
}

/** What the service allows the caller in a workspace of one of its teams. */
export interface WorkspacePermissions {
  /** A workspace. */
  readonly workspace: string
  /** The team it belongs to, in which the caller is. */
  readonly team: string
  /** What the caller may do there. */
  readonly permissions: readonly Permission[]
}

export interface WriteResourceRequest {
  /** Whose catalog. Kind and name are in the path; they may be repeated here. */
  readonly ref?:
    | {
        readonly tenant?: TenantInput | undefined
        /** The kind, as in the path. */
        readonly kind?: string | undefined
        /** The name, as in the path. */
        readonly name?: string | undefined
      }
    | undefined
  /** The document, as base64-encoded JSON. */
  readonly payload?: string | undefined
  /** Empty or *: the payload replaces the document. Otherwise only the named fields change. */
  readonly updateMask?: string | undefined
  /** Why; goes into the audit log. Operators must give one. */
  readonly justification?: string | undefined
  /** Proceed only if the resource is at this generation; 0 means that it must not exist. */
  readonly ifGenerationMatch?: string | undefined
}

export interface WriteResourceResponse {
  /** The document, as base64-encoded JSON. */
  readonly payload: string
  /** The version; 0 for a built-in. */
  readonly generation: string
}

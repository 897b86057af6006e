/** The fields of responses that rows read. Nothing is checked here: the rows do that. */

interface Tenant {
  provider?: string
  org?: string
}

export interface AgentId {
  tenant?: Tenant
  ownerProvider?: string
  account?: string
  workspace?: string
  agent?: string[]
}

interface ErrorDetail {
  '@type': string
  reason?: string
  retryDelay?: string
  fieldViolations?: { field: string; description: string }[]
}

export interface ErrorBody {
  code: number
  message: string
  details: ErrorDetail[]
}

export interface Answer<Body> {
  readonly request: string
  readonly status: number
  readonly text: string
  /** For errors, the other fields are undefined and `code` is set. */
  readonly json: Body & Partial<ErrorBody>
  readonly headers: Headers
}

export interface Caller {
  tenant: Tenant
  ownerProvider: string
  account: string
  role: string
  token: string
  expireTime: string
}

export interface Spawned {
  agentId: Required<AgentId>
  followUpId: string
  dashboardUrl: string
}

export interface Entry {
  agentId: Required<AgentId>
  phase: string
  cost: number
  progressAt: string
  repos: string[]
  dashboardUrl: string
  inputTokens: string
  cachedInputTokens: string
  outputTokens: string
  totalTokens: string
  needsInput: string
}

interface Task {
  id: string
  subject: string
  description: string
  status: string
  blocks: string[]
  blockedBy: string[]
  activation: object
  persona: string
  dedupKey: string
  ephemeral: boolean
}

interface Run {
  runId: string
  state: string
  startTime: string
  endTime: string
  attempt: number
  stopMode: string
  endReason: string
}

export interface FollowUp {
  followUpId: string
  description: string
  state: string
  deliverAt: string
  createTime: string
}

export interface Status extends Entry {
  runCount: string
  run: Run
  description: string
  expectedOutput: string
  persona: string
  backend: string
  model: string
  reasoningEffort: string
  serviceTier: string
  fastMode: boolean
  outputSchema: string
  output: string
  lastMessage: string
  tasks: Task[]
  followUps: FollowUp[]
  labels: Record<string, string>
  maxCost: number
  treeCost: number
  error: { code: string; message: string }
  branches: { repo: string; branch: string; commit: string }[]
  createTime: string
  endTime: string
  build: string
}

export interface Waited {
  reason: string
  status: Status
}

export interface TimelineEvent {
  type: string
  sequence: string
  time: string
  runId?: string
  reason?: string
  error?: { code: string; message: string }
  text?: string
  taskId?: string
  incarnation?: string
  followUpId?: string
  followUp?: FollowUp
}

export interface Timeline {
  events: TimelineEvent[]
  lastSequence: string
}

export interface Resource {
  kind: string
  payload: string
  inputFormat: string
  generation: string
}

/** A resource's document. Each kind has its own fields; these are the ones rows use. */
export interface Document {
  metadata: { name: string; createTime: string; updateTime: string; updatedBy: string; generation: string }
  prompt: string
  description: string
  model: string
  fastMode: boolean
  tasks: unknown[]
  setupScript: string
  build: { name: string; features?: string[] }
  maxRuns: number
  expireTime: string
  key: string
  signingKey: string
}

import { encodeBase64Text } from '../codecs/base64.ts'
import type { AgentId } from '../schemas/identity.ts'
import type { AgentEntry, AgentStatus } from '../schemas/agent.ts'

/** Shared by the examples in the API reference. */
export const tenant = { provider: 'PROVIDER_CODEHOST_APP', org: 'acme' } as const

export const agentId: AgentId = {
  tenant,
  ownerProvider: 'PROVIDER_CODEHOST_OAUTH',
  account: 'ada',
  agent: ['fix-checkout'],
  workspace: 'shop',
}

export const agentIdInput = { workspace: 'shop', agent: ['fix-checkout'] }

export const followUpId = '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10'

export const task = {
  id: 'tests',
  subject: 'Make the tests pass',
  description: '',
  status: 'TASK_STATUS_PENDING',
  blocks: [],
  blockedBy: [],
  activation: {},
  persona: '',
  dedupKey: '',
  ephemeral: false,
} as const

export const entry: AgentEntry = {
  agentId,
  phase: 'PHASE_RUNNING',
  cost: 0.42,
  progressAt: '2026-11-15T09:31:12.004Z',
  repos: ['https://git.example.com/acme/shop.git'],
  dashboardUrl: 'https://skein.example.com/agents/shop/fix-checkout',
  inputTokens: '120344',
  cachedInputTokens: '98000',
  outputTokens: '5120',
  totalTokens: '125464',
  needsInput: '',
  pendingReason: '',
  pendingUntil: '',
}

export const settings = {
  backend: 'a',
  model: 'claude-sonnet-5',
  reasoningEffort: 'high',
  serviceTier: '',
  fastMode: false,
  outputSchema: '',
}

export const status: AgentStatus = {
  ...entry,
  runCount: '3',
  run: {
    runId: '3',
    state: 'RUN_STATE_RUNNING',
    startTime: '2026-11-15T09:30:00.000Z',
    endTime: '',
    attempt: 1,
    stopMode: 'STOP_TURN_MODE_UNSPECIFIED',
    endReason: '',
  },
  description: 'The checkout fails for carts with a gift card. Find out why and fix it.',
  expectedOutput: 'A branch with a test and the fix.',
  persona: 'default',
  ...settings,
  output: '',
  lastMessage: 'I can reproduce it.',
  tasks: [{ ...task, blocks: [], blockedBy: [] }],
  openTaskIds: [task.id],
  followUps: [],
  labels: { team: 'payments' },
  maxCost: 5,
  treeCost: 0.42,
  error: { code: '', message: '' },
  branches: [
    {
      repo: 'https://git.example.com/acme/shop.git',
      branch: 'skein/release',
      commit: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    },
  ],
  createTime: '2026-11-15T09:12:40.000Z',
  endTime: '',
  build: '',
}

export const waitingStatus: AgentStatus = {
  ...status,
  phase: 'PHASE_WAITING',
  needsInput: 'Should refunds be covered too?',
  run: { ...status.run, state: 'RUN_STATE_ENDED', endTime: '2026-11-15T09:41:30.250Z', endReason: 'asked' },
}

const document = {
  description: 'Reviews changes before a person does.',
  prompt: 'You review code. Be brief, be kind, name the line.',
}

export const payload = encodeBase64Text(JSON.stringify(document))

export const storedPayload = encodeBase64Text(
  JSON.stringify({
    ...document,
    metadata: {
      name: 'reviewer',
      createTime: '2026-11-15T09:30:00.000Z',
      updateTime: '2026-11-15T09:30:00.000Z',
      updatedBy: 'ada',
      generation: '1',
    },
  }),
)

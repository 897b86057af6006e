import { Type, type Static } from 'typebox'
import { MAX_NAME_LENGTH } from '../facts/names.ts'
import { NETWORKS, PROVIDER_TOOLS } from '../catalog/kinds/environment.ts'
import { SANDBOXES } from '../catalog/kinds/pool.ts'
import { MACHINE_LIMITS } from '../facts/machines.ts'
import { AgentId } from '../schemas/identity.ts'
import {
  Choice,
  Flag,
  Int64,
  MaybeTimestamp,
  Name,
  request,
  response,
  SizedText,
  Text,
  Timestamp,
} from '../schemas/primitives.ts'
import { Task } from '../schemas/task.ts'
import { tenantQuery } from './catalog.ts'
import { agentId, followUpId, settings, status, task } from './examples.ts'
import { defineOperation } from './operation.ts'

/** How runners get work and report on it. Runners only make outgoing calls. */

const lease = Text('Names one attempt of one run; only its holder may report on it.', { maxLength: 128 })
const waitMs = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 60_000,
    description: 'How long to hold the request if there is nothing to return.',
  }),
)

const Repo = response(undefined, {
  url: Text('Where to clone it from.'),
  baseBranch: Text('The branch that work starts from; empty means the repository’s own default.'),
  credential: Text('The runner’s credential, as user:password or a bare token. It never enters the sandbox.'),
  access: Type.Optional(
    Text('If its code host issues credentials: what to send to get one. Then credential is empty.'),
  ),
})

const Environment = response(undefined, {
  setupScript: Text('A shell script for a new workspace; empty for none.'),
  variables: Type.Record(Type.String(), Type.String(), { description: 'For the agent’s commands.' }),
  secrets: Type.Record(Type.String(), Type.String(), {
    description: 'Only for the setup script, which is the tenant’s own code; the agent never sees them.',
  }),
  network: Choice(NETWORKS, 'What the sandbox can reach.'),
  providerTools: Type.Array(Choice(PROVIDER_TOOLS, 'A tool.'), {
    description: 'What the provider may do on its own machines; none unless the network is open.',
  }),
  betas: Type.Array(Type.String(), {
    description: 'Beta features of the provider in addition to those the programs need.',
  }),
})

const Limits = response(undefined, {
  runTimeMs: Type.Integer({ description: 'How long the run may take; 0 means no limit.' }),
  idleTimeMs: Type.Integer({ description: 'How long it may show no progress; 0 means no limit.' }),
  cpus: Type.Number({ description: 'Processor cores for the sandbox; 0 means no limit, here and below.' }),
  memoryMib: Type.Integer({ description: 'Memory for the sandbox.' }),
  diskMib: Type.Integer({ description: 'Disk for the agent’s own files.' }),
  processes: Type.Integer({ description: 'Processes and threads at once.' }),
})

const Price = response(undefined, {
  model: Text('The models this price is for; * matches any characters. The first match applies.'),
  input: Type.Number(),
  cachedInput: Type.Number(),
  cacheWrite: Type.Number(),
  output: Type.Number(),
})

const ToolPrice = response(undefined, {
  tool: Choice(PROVIDER_TOOLS, 'The tool.'),
  perUse: Type.Number({ description: 'US dollars for each use.' }),
})

const ProviderKey = response(undefined, {
  secret: Text('The secret that holds it.'),
  value: Text('The key itself; empty if the secret was deleted. It never enters the sandbox.'),
})

export const Budget = response(
  'Budget',
  {
    isCapped: Flag('Whether a budget applies. If not, ignore maxCost and spent.'),
    maxCost: Type.Number({ description: 'The budget with the least left, in US dollars.' }),
    spent: Type.Number({ description: 'What has been spent of it, by all agents it covers.' }),
    refusal: Type.Optional(
      Text('Why the call must not be made: a monthly budget has no room for it. Absent if there is room.'),
    ),
  },
  { description: 'What may still be spent. A call that would exceed it must not be made.' },
)
export type Budget = Static<typeof Budget>

export const Assignment = response(
  'Assignment',
  {
    lease,
    leaseMs: Type.Integer({
      description:
        'How long the lease lasts without a heartbeat. A runner that cannot renew it ends the run.',
    }),
    agentId: AgentId,
    runId: Int64('The run’s number.'),
    attempt: Type.Integer({ description: 'The number of the attempt.' }),
    queuedMs: Type.Integer({
      description: 'How many milliseconds the run was queued, not counting the back-off of a retry.',
    }),
    traceparent: Text(
      'The span that the run’s spans are children of, as in the header `traceparent`. Empty if tracing is off.',
    ),
    traceLinks: Type.Array(Text('A span, as in the header `traceparent`.'), {
      description: 'The spans that sent the messages of this turn, if they belong to other traces.',
    }),
    description: Text('The work the agent was given.'),
    expectedOutput: Text('The expected result.'),
    messages: Type.Array(
      response(undefined, { followUpId: Text('The message’s id.'), description: Text('The message.') }),
      { description: 'The messages of this turn, oldest first.' },
    ),
    runsBefore: Int64(
      'Number of runs of earlier incarnations. This incarnation’s first run is the next one.',
    ),
    resumed: Flag('Whether this incarnation continues the previous conversation.'),
    unanswered: Type.Array(Text('A message.'), {
      description:
        'In the first run of a continued incarnation: the messages of the previous run. It may have ended before the agent received them.',
    }),
    persona: Text('The persona.'),
    prompt: Text('Its system prompt.'),
    backend: Text('The backend.'),
    model: Text('The model.'),
    reasoningEffort: Text('The effort.'),
    serviceTier: Text('The tier.'),
    fastMode: Flag('Whether fast mode is on.'),
    outputSchema: Text('The JSON Schema of the structured output; empty for none.'),
    tasks: Type.Array(Task, { description: 'The checklist.' }),
    pool: Text('The pool.'),
    repos: Type.Array(Repo, { description: 'The repositories of the workspace, the main one first.' }),
    draftAtPush: Type.Optional(
      Flag('Whether the runner opens a draft pull request when the agent first pushes.'),
    ),
    environment: Environment,
    sandbox: Choice(SANDBOXES, 'The sandbox that the agent runs in.'),
    limits: Limits,
    helperModels: Type.Array(Type.String(), {
      description: 'Models the agent may call in addition to its own; * matches any characters.',
    }),
    prices: Type.Array(Price, {
      description: 'What the backend’s models cost, in US dollars per million tokens.',
    }),
    leastPrices: Type.Array(Price, {
      description: 'Minimum prices of models, if the backend’s prices are lower or missing.',
    }),
    toolPrices: Type.Array(ToolPrice, { description: 'What the provider’s own tools cost.' }),
    /** Absent: the runner uses its own key. */
    providerKey: Type.Optional(ProviderKey),
    budget: Budget,
    unbudgeted: Type.Optional(
      Flag(
        'Whether no budget applied when the run was assigned, neither the agent’s nor a monthly one. Then the run’s first call may be made without asking, if it is made soon.',
      ),
    ),
    session: Text('What the runner of an earlier turn saved of the conversation; empty for a new one.'),
    discarded: Text(
      'The session of an earlier incarnation that this one does not continue; it can be deleted.',
    ),
    runKey: Text(
      'The run’s own API key, for the agent’s tools. It gives access to the agent’s subtree and expires with the run.',
    ),
  },
  { description: 'A run to execute.' },
)
export type Assignment = Static<typeof Assignment>

const assignment: Assignment = {
  lease: '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f10.0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f11.3.1',
  leaseMs: 30_000,
  agentId,
  runId: '3',
  attempt: 1,
  queuedMs: 120,
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  traceLinks: [],
  description: status.description,
  expectedOutput: status.expectedOutput,
  messages: [{ followUpId, description: 'Also cover refunds.' }],
  runsBefore: '0',
  resumed: false,
  unanswered: [],
  persona: 'default',
  prompt: 'You are a careful software engineer.',
  ...settings,
  tasks: [{ ...task, blocks: [], blockedBy: [] }],
  pool: 'default',
  repos: [{ url: 'https://git.example.com/acme/shop.git', baseBranch: 'main', credential: '' }],
  environment: {
    setupScript: 'npm ci',
    variables: { CI: 'true' },
    secrets: {},
    network: 'gateway',
    providerTools: [],
    betas: [],
  },
  sandbox: 'bubblewrap',
  limits: {
    runTimeMs: 0,
    idleTimeMs: 1_800_000,
    cpus: 2,
    memoryMib: 4096,
    diskMib: 20_480,
    processes: 1024,
  },
  helperModels: ['claude-haiku-*'],
  prices: [{ model: '*', input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 }],
  leastPrices: [{ model: 'claude-*', input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 }],
  toolPrices: [],
  budget: { isCapped: true, maxCost: 5, spent: 0.42 },
  session: '',
  discarded: '',
  runKey: 'skr_c1.v1.0a1b2c3d.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA',
}

const runnerName = Text('The runner’s own name, such as its host’s.', { minLength: 1, maxLength: 255 })
const build = Text('The version of its software.', { maxLength: 255 })
const capacity = Type.Integer({ minimum: 0, maximum: 1000, description: 'Runs at once.' })
const partName = Text('The name, as the catalog has it.', { minLength: 1, maxLength: MAX_NAME_LENGTH })
const version = Text('The version of the program; empty if unknown.', { maxLength: 255 })
const network = Choice(['none', 'gateway', 'open'], 'A network policy.')
const limitName = Choice(MACHINE_LIMITS, 'A limit, by its field in the VM profile.')
const note = Text('For its operator.', { maxLength: 512 })
const problem = Text('Why it cannot be used and what to do about it; empty if it can.', { maxLength: 512 })
const keyProblem = Text(
  'Why the runner’s own key for the provider does not work; empty if it does, or cannot be tested.',
  { maxLength: 512 },
)

export const RunnerOffers = request(
  'RunnerOffers',
  {
    name: Type.Optional(runnerName),
    build: Type.Optional(build),
    startTime: Type.Optional(Timestamp('When its process started, by its own clock.')),
    capacity,
    backends: Type.Array(
      request(undefined, {
        name: partName,
        version: Type.Optional(version),
        problem: Type.Optional(problem),
        keyProblem: Type.Optional(keyProblem),
      }),
      { maxItems: 64, description: 'The backends that it is configured to offer.' },
    ),
    sandboxes: Type.Array(
      request(undefined, {
        name: partName,
        problem: Type.Optional(problem),
        networks: Type.Optional(
          Type.Array(request(undefined, { name: network, problem: Type.Optional(problem) }), {
            maxItems: 3,
            description:
              'Network policies in this sandbox. A run that needs one with a problem is not assigned to the runner.',
          }),
        ),
        limits: Type.Optional(
          Type.Array(request(undefined, { name: limitName, problem: Type.Optional(problem) }), {
            maxItems: 4,
            description:
              'The limits of a VM profile in this sandbox. A run that needs one with a problem is not assigned to the runner. Default: it can enforce all of them.',
          }),
        ),
        notes: Type.Optional(Type.Array(note, { maxItems: 4, description: 'Additional notes.' })),
      }),
      { maxItems: 16, description: 'The sandboxes that it is configured to offer.' },
    ),
  },
  { description: 'What a runner offers, and what is missing.' },
)
export type RunnerOffers = Static<typeof RunnerOffers>

const pools = Type.Optional(
  Type.Array(Name('A pool.'), { maxItems: 64, description: 'Some of the token’s pools. Default: all.' }),
)

export const pollRuns = defineOperation({
  id: 'pollRuns',
  method: 'POST',
  path: '/v1/runner/poll',
  tag: 'runners',
  summary: 'Get runs to execute',
  description:
    'Assigns at most as many runs as the runner has capacity for, taking turns between tenants. Held until there is one, or for waitMs.',
  permission: 'run.execute',
  body: request('PollRunsRequest', {
    pools,
    capacity: Type.Integer({
      minimum: 0,
      maximum: 1000,
      description:
        'How many more runs the runner can take. 0 only reports that it is online, and returns immediately.',
    }),
    waitMs,
    offers: Type.Optional(RunnerOffers),
  }),
  response: response('PollRunsResponse', { runs: Type.Array(Assignment) }),
  reasons: [],
  example: {
    request: {
      capacity: 4,
      waitMs: 30_000,
      offers: {
        name: 'runner-7',
        capacity: 8,
        backends: [{ name: 'a', version: '0.3.325' }],
        sandboxes: [{ name: 'bubblewrap', problem: '', networks: [{ name: 'open', problem: '' }] }],
      },
    },
    response: { runs: [assignment] },
  },
})

export const Leftover = response(
  'Leftover',
  {
    id: Text('The id to report once it is removed.'),
    agentId: AgentId,
    session: Text('What the runner of the last turn saved of the conversation; empty if there is none.'),
    repos: Type.Array(Repo, { description: 'Repositories that may hold unfinished work.' }),
  },
  { description: 'Data of an agent that ended too long ago to be continued.' },
)
export type Leftover = Static<typeof Leftover>

export const takeLeftovers = defineOperation({
  id: 'takeLeftovers',
  method: 'POST',
  path: '/v1/runner/leftovers',
  tag: 'runners',
  summary: 'Remove what ended agents left behind',
  description:
    'Reports what was removed, and assigns more: conversations and unfinished work of agents whose retention has expired. At most ten at a time, each to one runner for holdMs.',
  permission: 'run.execute',
  body: request('TakeLeftoversRequest', {
    pools,
    removed: Type.Optional(
      Type.Array(Type.String({ format: 'uuid' }), {
        maxItems: 10,
        description: 'Ids of those that were removed.',
      }),
    ),
  }),
  response: response('TakeLeftoversResponse', {
    leftovers: Type.Array(Leftover),
    holdMs: Type.Integer({ description: 'How long they are reserved for this runner.' }),
  }),
  reasons: [],
  example: {
    request: { removed: [] },
    response: {
      leftovers: [
        {
          id: '0199d2f4-6f0e-7c3a-9d55-2f6f6b1f5f11',
          agentId,
          session: '',
          repos: [{ url: 'https://git.example.com/acme/shop.git', baseBranch: 'main', credential: '' }],
        },
      ],
      holdMs: 600_000,
    },
  },
})

export const mintRepoCredential = defineOperation({
  id: 'mintRepoCredential',
  method: 'POST',
  path: '/v1/runner/repo-credential',
  tag: 'runners',
  summary: 'Get a credential for a repository',
  description:
    'For repositories of a code host. The credential is for the repositories of the run’s workspace only, as far as the code host can limit it, and soon expires. Available while the run or the leftover belongs to the runner.',
  permission: 'run.execute',
  body: request('MintRepoCredentialRequest', {
    access: Text('The repository’s access, from the assignment or the leftover.', {
      minLength: 1,
      maxLength: 1024,
    }),
    url: Text('The repository’s URL, as there.', { minLength: 1, maxLength: 2048 }),
  }),
  response: response('MintRepoCredentialResponse', {
    credential: Text('For git over HTTP, as user:password. It never enters the sandbox.'),
    expireTime: MaybeTimestamp('When it stops working; empty if the code host does not say.'),
  }),
  reasons: ['RUN_NOT_CURRENT', 'CODE_HOST_REFUSED', 'CODE_HOST_UNAVAILABLE', 'AUTOMATIONS_UNAVAILABLE'],
  example: {
    request: {
      access: 'v1.0a1b2c3d.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA',
      url: 'https://github.com/acme/shop.git',
    },
    response: { credential: 'x-access-token:ghs_example', expireTime: '2026-11-15T10:30:00.000Z' },
  },
})

const branch = (text: string) => Text(text, { minLength: 1, maxLength: 255, pattern: '^[^\\s\\p{Cc}]+$' })

export const OpenPullRequestRequest = request('OpenPullRequestRequest', {
  lease,
  url: Text('The repository’s URL, as in the assignment.', { minLength: 1, maxLength: 2048 }),
  title: Text('The title, in one line.', { minLength: 1, maxLength: 256, pattern: '\\S' }),
  body: Type.Optional(
    SizedText('What it changes and why, as Markdown. A link to the agent is added.', { maxBytes: 48 * 1024 }),
  ),
  draft: Type.Optional(
    Flag('Whether it is a draft. If one is open as a draft, and this is false, it is ready from now on.'),
  ),
  labels: Type.Optional(
    Type.Array(Text('A label.', { minLength: 1, maxLength: 50, pattern: '\\S' }), {
      maxItems: 20,
      description: 'Labels to add.',
    }),
  ),
  reviewers: Type.Optional(
    Type.Array(
      Text('A user of the code host.', { minLength: 1, maxLength: 100, pattern: '^[^\\s\\p{Cc}]+$' }),
      {
        maxItems: 15,
        description: 'Who is asked for a review.',
      },
    ),
  ),
  head: branch('The agent’s branch, which is pushed.'),
  base: branch('The branch that the changes are for.'),
})
export type OpenPullRequestRequest = Static<typeof OpenPullRequestRequest>

export const openPullRequest = defineOperation({
  id: 'openPullRequest',
  method: 'POST',
  path: '/v1/runner/pull-request',
  tag: 'runners',
  summary: 'Open a pull request for an agent’s branch',
  description:
    'Opens a pull request, or finds the open one for this branch; repeated calls never open a second one. If the open one has another base, its base is changed. If it is a draft of the agent and should not be one, it gets this title and body and becomes ready for review.',
  permission: 'run.execute',
  body: OpenPullRequestRequest,
  response: response('OpenPullRequestResponse', {
    name: Text('The resource of kind pull-request.'),
    number: Type.Integer({ description: 'Its number on the code host.' }),
    url: Text('Where people find it.'),
    title: Text('Its title there.'),
    base: Text('The branch that it is for.'),
    draft: Flag('Whether it is a draft.'),
    problems: Type.Array(Text('A problem.'), {
      description: 'What the code host did not do, such as adding a label that it does not have.',
    }),
  }),
  reasons: ['RUN_NOT_CURRENT', 'CODE_HOST_REFUSED', 'CODE_HOST_UNAVAILABLE', 'AUTOMATIONS_UNAVAILABLE'],
  example: {
    request: {
      lease: assignment.lease,
      url: 'https://github.com/acme/shop.git',
      title: 'Retry the download',
      body: 'It failed when the mirror was slow.',
      head: 'skein/fix',
      base: 'main',
    },
    response: {
      name: 'shop-12-3f9a1c07',
      number: 12,
      url: 'https://github.com/acme/shop/pull/12',
      title: 'Retry the download',
      base: 'main',
      draft: false,
      problems: [],
    },
  },
})

export const RunnerEntry = response(
  'RunnerEntry',
  {
    name: Text('Its own name, or its token’s if it has none.'),
    pools: Type.Array(Type.String(), { description: 'The pools that it serves.' }),
    servesAllTenants: Flag('Whether it serves these pools in every tenant.'),
    build,
    startTime: MaybeTimestamp('When its process started, by its own clock; empty if not reported.'),
    capacity,
    backends: Type.Array(response(undefined, { name: partName, version, problem, keyProblem })),
    sandboxes: Type.Array(
      response(undefined, {
        name: partName,
        problem,
        networks: Type.Array(response(undefined, { name: network, problem }), {
          description: 'Network policies in this sandbox; empty if not reported.',
        }),
        limits: Type.Array(response(undefined, { name: limitName, problem }), {
          description: 'The limits of a VM profile in this sandbox; empty if not reported.',
        }),
        notes: Type.Array(note, { description: 'Additional notes.' }),
      }),
    ),
    seenTime: Timestamp('When it last asked for work, accurate to half a minute.'),
    isOnline: Flag('Whether that was in the last 90 seconds.'),
  },
  { description: 'A runner as last seen. If it does not report what it offers, these lists are empty.' },
)
export type RunnerEntry = Static<typeof RunnerEntry>

export const PoolEntry = response(
  'PoolEntry',
  {
    name: Text('The pool.'),
    queued: Type.Integer({ description: 'Runs that a runner could take now.' }),
    queuedSince: MaybeTimestamp('Since when the longest-waiting run could have been taken.'),
    delayed: Type.Integer({ description: 'Runs that wait for a retry or for a provider’s limit to reset.' }),
    running: Type.Integer({ description: 'Runs that a runner executes.' }),
  },
  { description: 'The load of one pool, in this tenant.' },
)
export type PoolEntry = Static<typeof PoolEntry>

export const listRunners = defineOperation({
  id: 'listRunners',
  method: 'GET',
  path: '/v1/runners',
  tag: 'runners',
  summary: 'List runners',
  description:
    'The runners that serve the tenant, its own and those for all tenants, if they were seen in the last ten minutes, and the pools that have such a runner or any runs. Sorted by name. Not available to the key of a run.',
  permission: 'agent.read',
  query: request(undefined, tenantQuery),
  response: response('ListRunnersResponse', {
    runners: Type.Array(RunnerEntry),
    pools: Type.Array(PoolEntry),
  }),
  reasons: ['TENANT_NOT_FOUND'],
  example: {
    response: {
      runners: [
        {
          name: 'runner-7',
          pools: ['default'],
          servesAllTenants: false,
          build: '',
          startTime: '2026-11-15T08:00:12.380Z',
          capacity: 8,
          backends: [
            { name: 'a', version: '0.3.325', problem: '', keyProblem: '' },
            { name: 'b', version: '', problem: 'OPENAI_API_KEY is not set.', keyProblem: '' },
          ],
          sandboxes: [
            {
              name: 'bubblewrap',
              problem: '',
              networks: [
                { name: 'none', problem: '' },
                { name: 'gateway', problem: '' },
                { name: 'open', problem: 'slirp4netns is not installed: apt-get install slirp4netns.' },
              ],
              limits: [
                { name: 'cpus', problem: 'CPU time cannot be limited: the runner has no cgroup for it.' },
                { name: 'memoryMib', problem: '' },
              ],
              notes: [],
            },
          ],
          seenTime: '2026-11-15T09:31:12.004Z',
          isOnline: true,
        },
      ],
      pools: [
        { name: 'default', queued: 2, queuedSince: '2026-11-15T09:30:41.870Z', delayed: 0, running: 8 },
      ],
    },
  },
})

const count = (text: string) => Int64(text, { minimum: 0 })

const ReportedUsage = request(
  'ReportedUsage',
  {
    cost: Type.Number({ minimum: 0, maximum: 1_000_000, description: 'US dollars.' }),
    inputTokens: count('Tokens read, cached ones included.'),
    cachedInputTokens: count('Of those, tokens from a cache.'),
    outputTokens: count('Tokens written.'),
    model: Type.Optional(Text('The model that was called.', { maxLength: 255 })),
  },
  { description: 'What was used since the previous report.' },
)

const MAX_TEXT = 262_144

const toolCall = {
  callId: Text('Identifies the call: the same in the reports of its start and its end.', { maxLength: 255 }),
  tool: Text('The tool.', { maxLength: 255 }),
}

const ProgressReport = Type.Union(
  [
    request('ReportedProgress', {
      type: Type.Literal('run.progressed'),
      message: Text('What the agent is doing.', { maxLength: MAX_TEXT }),
    }),
    request('ReportedMessage', {
      type: Type.Literal('run.message'),
      text: Text('What the agent said.', { maxLength: MAX_TEXT }),
    }),
    request('ReportedToolStart', {
      type: Type.Literal('run.tool-started'),
      ...toolCall,
      input: Text('Its input, or the beginning of it.', { maxLength: MAX_TEXT }),
    }),
    request('ReportedToolCall', {
      type: Type.Literal('run.tool-called'),
      ...toolCall,
      input: Text('Its input.', { maxLength: MAX_TEXT }),
      output: Text('Its output.', { maxLength: MAX_TEXT }),
      failed: Flag('Whether the call failed.'),
    }),
    request('ReportedSteer', {
      type: Type.Literal('run.steered'),
      followUpId: Text('The message that the agent received mid-turn.', { maxLength: 128 }),
    }),
    request('ReportedPush', {
      type: Type.Literal('run.pushed'),
      repo: Text('The repository.', { maxLength: 2048 }),
      ref: Text('The ref.', { maxLength: 1024 }),
      commit: Text('The commit it now points to.', { maxLength: 128 }),
      files: Type.Array(Type.String({ maxLength: 4096 }), {
        maxItems: 10_000,
        description: 'Files that it changed.',
      }),
    }),
  ],
  { $id: 'ProgressReport', description: 'Something that happened in the run, for the timeline.' },
)

const session = Text(
  'Where the conversation is saved, in the runner’s own terms; the next turn’s runner gets it.',
  {
    maxLength: 65_536,
  },
)

export const HeartbeatRun = request('HeartbeatRun', {
  lease,
  reportId: Type.Optional(
    Text('The runner’s id for this report; sending it twice counts once.', { maxLength: 128 }),
  ),
  events: Type.Optional(Type.Array(ProgressReport, { maxItems: 1000 })),
  usage: Type.Optional(ReportedUsage),
  session: Type.Optional(session),
  heard: Type.Optional(
    Type.Array(Type.String({ maxLength: 128 }), {
      maxItems: 1000,
      description:
        'Messages of STEER commands that need not be repeated, whether or not the agent received them.',
    }),
  ),
  wantsBudget: Type.Optional(Flag('Whether to return what may still be spent.')),
  estimate: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description:
        'With wantsBudget: the least that the next call costs, in US dollars. It is reserved in monthly budgets until the next usage is reported. Leave it out if the call has no price.',
    }),
  ),
})
export type HeartbeatRun = Static<typeof HeartbeatRun>

export const RunCommand = response('RunCommand', {
  type: Choice(
    ['INTERRUPT', 'KILL', 'STEER'],
    'INTERRUPT: report what is left and end the turn. KILL: end it immediately. STEER: pass the text on to the agent.',
  ),
  text: Text('For STEER: what to tell the agent.'),
  followUpId: Text('For STEER: the message. Report run.steered once the agent has it.'),
})
export type RunCommand = Static<typeof RunCommand>

export const RunHeartbeat = response('RunHeartbeat', {
  lease,
  isCurrent: Flag('False if the run no longer belongs to this runner. End it and report nothing more.'),
  commands: Type.Array(RunCommand, { description: 'What to do now. Repeated until done.' }),
  budget: Type.Optional(Budget),
})
export type RunHeartbeat = Static<typeof RunHeartbeat>

export const heartbeatRuns = defineOperation({
  id: 'heartbeatRuns',
  method: 'POST',
  path: '/v1/runner/heartbeat',
  tag: 'runners',
  summary: 'Keep runs, report progress and get commands',
  description:
    'Renews the leases of the given runs, accepts their reports, and returns the commands for each. With waitMs it is held until there is a command, so a stop arrives immediately.',
  permission: 'run.execute',
  bodyLimitBytes: 4 * 1024 * 1024,
  body: request('HeartbeatRunsRequest', {
    runs: Type.Array(HeartbeatRun, { minItems: 1, maxItems: 1000 }),
    waitMs,
  }),
  response: response('HeartbeatRunsResponse', { runs: Type.Array(RunHeartbeat) }),
  reasons: [],
  example: {
    request: { runs: [{ lease: assignment.lease }], waitMs: 10_000 },
    response: {
      runs: [
        {
          lease: assignment.lease,
          isCurrent: true,
          commands: [{ type: 'INTERRUPT', text: '', followUpId: '' }],
        },
      ],
    },
  },
})

export const CompleteRunRequest = request('CompleteRunRequest', {
  lease,
  events: Type.Optional(
    Type.Array(ProgressReport, {
      maxItems: 1000,
      description: 'What happened since the last heartbeat. It precedes the end in the timeline.',
    }),
  ),
  outcome: request('RunOutcome', {
    reason: Choice(
      ['finished', 'asked', 'rested', 'interrupted', 'killed', 'failed', 'limit', 'paused'],
      'How the turn ended. paused: it has not ended; another runner continues it after retryAfterMs.',
    ),
    message: Type.Optional(Text('What the agent said last.', { maxLength: MAX_TEXT })),
    needsInput: Type.Optional(Text('Its question.', { maxLength: 65_536 })),
    output: Type.Optional(Text('Its structured output, as a JSON string.', { maxLength: 1_048_576 })),
    usage: Type.Optional(ReportedUsage),
    session: Type.Optional(session),
    limit: Type.Optional(
      Choice(
        ['budget', 'monthly-budget', 'time', 'disk'],
        'Reason limit: which one. More budget, of the agent or of the month, wakes it.',
      ),
    ),
    awaits: Type.Optional(
      Type.Array(Name('A child.'), {
        maxItems: 1000,
        description: 'Reason rested: children whose end wakes the agent, with their results.',
      }),
    ),
    error: Type.Optional(
      request('RunError', {
        code: Text('The class of the failure.', { maxLength: 64 }),
        message: Text('What went wrong.', { maxLength: 65_536 }),
        isRetryable: Flag('Whether another attempt may succeed.'),
      }),
    ),
    retryAfterMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800_000,
        description: 'The earliest time to continue, such as when a limit resets.',
      }),
    ),
  }),
})
export type CompleteRunRequest = Static<typeof CompleteRunRequest>

export const completeRun = defineOperation({
  id: 'completeRun',
  method: 'POST',
  path: '/v1/runner/complete',
  tag: 'runners',
  summary: 'Report how a run ended',
  description: 'Not accepted from a runner that has lost its lease. Sent twice, it counts once.',
  permission: 'run.execute',
  bodyLimitBytes: 4 * 1024 * 1024,
  body: CompleteRunRequest,
  response: response('CompleteRunResponse', { accepted: Flag('Whether the report counted.') }),
  reasons: [],
  example: {
    request: { lease: assignment.lease, outcome: { reason: 'finished', message: 'Done.' } },
    response: { accepted: true },
  },
})

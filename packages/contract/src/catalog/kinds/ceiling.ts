import { Type, type Static } from 'typebox'
import { Choice, Duration } from '../../schemas/primitives.ts'
import { description, documentSchema, type Kind } from '../kind.ts'
import { Price, ToolPrice } from './backend.ts'
import { NETWORKS, PROVIDER_TOOLS } from './environment.ts'
import { SANDBOXES } from './pool.ts'
import { MAX_QUOTA, MAX_QUOTA_BYTES } from './quota.ts'

// Without defaults, unlike quotas and profiles: missing fields must stay absent.
const limit = () => Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_QUOTA }))
const size = (maximum: number) => Type.Optional(Type.Integer({ minimum: 0, maximum }))
const span = () => Type.Optional(Duration('At most this long; 0s means any time.'))

export const ceiling = {
  kind: 'ceiling',
  summary:
    'What the tenant cannot exceed, regardless of its own documents. Only an operator can write it. The one named default applies.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A ceiling. Omitted fields come from the installation’s ceiling.', {
    description,
    quota: Type.Object(
      {
        liveAgents: limit(),
        childrenPerAgent: limit(),
        queuedFollowUpsPerAgent: limit(),
        queuedBytesPerAgent: size(MAX_QUOTA_BYTES),
        queuedBytes: size(MAX_QUOTA_BYTES),
        tasksPerAgent: limit(),
        taskBytesPerAgent: limit(),
        runsInFlight: limit(),
        schedules: limit(),
        triggers: limit(),
      },
      { additionalProperties: false, default: {}, description: 'The highest limits that a quota can set.' },
    ),
    networks: Type.Optional(
      Type.Array(Choice(NETWORKS, 'A network policy.'), {
        uniqueItems: true,
        description: 'The network policies that environments can use. The policy none is always permitted.',
      }),
    ),
    sandboxes: Type.Optional(
      Type.Array(Choice(SANDBOXES, 'A sandbox.'), {
        uniqueItems: true,
        description: 'The sandboxes that pools can use. Bubblewrap is always permitted.',
      }),
    ),
    machine: Type.Object(
      {
        cpus: Type.Optional(Type.Number({ minimum: 0, maximum: 1024 })),
        memoryMib: size(16_777_216),
        diskMib: size(1_073_741_824),
        processes: size(4_194_304),
        runTimeLimit: span(),
        idleTimeLimit: span(),
      },
      {
        additionalProperties: false,
        default: {},
        description: 'The largest machine that a vm-profile can describe; 0 means any size.',
      },
    ),
    prices: Type.Optional(
      Type.Array(Price, {
        maxItems: 256,
        description: 'Minimum prices of models, regardless of the backend’s prices. The first match applies.',
      }),
    ),
    toolPrices: Type.Optional(
      Type.Array(ToolPrice, {
        maxItems: PROVIDER_TOOLS.length,
        description: 'Minimum prices of the provider’s own tools.',
      }),
    ),
  }),
  example: {
    description: 'A tenant with large builds and internet access.',
    quota: { runsInFlight: 64 },
    networks: ['none', 'gateway', 'open'],
    sandboxes: ['bubblewrap'],
    machine: { cpus: 16, memoryMib: 65_536 },
    prices: [{ model: 'claude-*', input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 }],
    toolPrices: [{ tool: 'web-search', perUse: 0.01 }],
  },
} satisfies Kind
export type CeilingDocument = Static<typeof ceiling.schema>

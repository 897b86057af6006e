import { Type } from 'typebox'
import { Choice, Text } from '../../schemas/primitives.ts'
import { NAME_PATTERN } from '../../facts/names.ts'
import { REFERENCE } from '../../facts/schema-marks.ts'
import { description, documentSchema, type Kind } from '../kind.ts'

// Not __proto__: assigning it to an object, as an update mask does, would change the prototype instead.
const VariableName = Type.String({ pattern: '^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,127}$' })

/** What a provider does on its own machines, which have network access. */
export const PROVIDER_TOOLS = ['web-search', 'web-fetch', 'url-files', 'remote-mcp'] as const
export type ProviderTool = (typeof PROVIDER_TOOLS)[number]

/** Strictest first. */
export const NETWORKS = ['none', 'gateway', 'open'] as const
export type NetworkPolicy = (typeof NETWORKS)[number]

export const environment = {
  kind: 'environment',
  summary: 'How a sandbox is prepared: setup script, variables, secrets and network policy.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('An environment.', {
    description,
    setupScript: Text('A shell script that runs once in a new workspace.', {
      default: '',
      maxLength: 262_144,
    }),
    variables: Type.Record(VariableName, Type.String({ maxLength: 32_768 }), {
      additionalProperties: false,
      maxProperties: 256,
      default: {},
      description: 'Variables for the agent’s commands. Anyone who can read the catalog can read them.',
    }),
    secrets: Type.Record(VariableName, Type.String({ pattern: NAME_PATTERN, [REFERENCE]: 'secret' }), {
      additionalProperties: false,
      maxProperties: 256,
      default: {},
      description: 'Variables whose value comes from a secret resource: variable to secret name.',
    }),
    network: Choice(
      NETWORKS,
      'What the sandbox can reach besides the model and the tools: nothing (none), git (gateway), or git and the public internet (open).',
      { default: 'gateway' },
    ),
    providerTools: Type.Array(Choice(PROVIDER_TOOLS, 'A tool.'), {
      default: [],
      maxItems: PROVIDER_TOOLS.length,
      description:
        'What the model’s provider may do on its own machines for the agent: search the web, fetch pages, fetch images and documents by URL, call MCP servers. Requires the network policy open, because the provider makes these requests from its own network.',
    }),
    betas: Type.Array(Type.String({ pattern: '^[a-z0-9-]{1,64}$' }), {
      default: [],
      maxItems: 32,
      description:
        'Beta features of the provider that requests may use, in addition to those that the programs need. Requires the network policy open.',
    }),
  }),
  example: {
    description: 'Node with a private package mirror.',
    setupScript: 'npm ci',
    variables: { NODE_ENV: 'development' },
    secrets: { NPM_TOKEN: 'npm-mirror' },
    network: 'open',
    providerTools: ['web-search'],
    betas: [],
  },
} satisfies Kind

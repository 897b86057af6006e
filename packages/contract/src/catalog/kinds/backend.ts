import { Type, type Static } from 'typebox'
import { Choice, Text } from '../../schemas/primitives.ts'
import { description, documentSchema, Reference, type Kind } from '../kind.ts'
import { PROVIDER_TOOLS } from './environment.ts'

const Word = Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z0-9-]+$' })
const ModelPattern = (text: string) =>
  Text(text, { minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9._:/*-]+$' })
const dollars = (text: string) =>
  Type.Number({
    minimum: 0,
    maximum: 1_000_000,
    default: 0,
    description: `${text}, US dollars per million tokens.`,
  })

export const Price = Type.Object(
  {
    model: ModelPattern('The models this price is for; * matches any characters. The first match applies.'),
    input: dollars('Input'),
    cachedInput: dollars('Input read from a cache'),
    cacheWrite: dollars('Input written to a cache'),
    output: dollars('Output'),
  },
  { additionalProperties: false },
)

export const ToolPrice = Type.Object(
  {
    tool: Choice(PROVIDER_TOOLS, 'The tool, as an environment names it.'),
    perUse: Type.Number({ minimum: 0, maximum: 1_000, description: 'US dollars for each use.' }),
  },
  { additionalProperties: false },
)

export const backend = {
  kind: 'backend',
  summary: 'A program that executes turns: its models, efforts, tiers and prices.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A backend.', {
    description,
    models: Type.Array(ModelPattern('* matches any characters.'), {
      minItems: 1,
      maxItems: 256,
      description: 'The models that belong to this backend.',
    }),
    defaultModel: Text('The default model.', { minLength: 1, maxLength: 255 }),
    efforts: Type.Array(Word, { default: [], maxItems: 32, description: 'The efforts it accepts.' }),
    tiers: Type.Array(Word, {
      default: [],
      maxItems: 32,
      description: 'The tiers it accepts; empty if it has none.',
    }),
    helperModels: Type.Array(ModelPattern('* matches any characters.'), {
      default: [],
      maxItems: 32,
      description:
        'Models that the program uses in addition to the agent’s own. No other model can be called.',
    }),
    credential: Reference(
      'secret',
      'The secret with the provider’s API key that pays for the tenant’s runs. If empty, the runner’s own key is used. The key never leaves the runner.',
    ),
    prices: Type.Array(Price, { default: [], maxItems: 256, description: 'What its models cost.' }),
    toolPrices: Type.Array(ToolPrice, {
      default: [],
      maxItems: PROVIDER_TOOLS.length,
      description:
        'What the provider’s own tools cost. Under a budget, a tool without a price cannot be used.',
    }),
  }),
  example: {
    description: 'Our own prices.',
    models: ['claude-*'],
    defaultModel: 'claude-sonnet-5',
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
    tiers: [],
    helperModels: ['claude-haiku-*'],
    credential: '',
    prices: [{ model: 'claude-*', input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 }],
    toolPrices: [{ tool: 'web-search', perUse: 0.01 }],
  },
} satisfies Kind
export type BackendDocument = Static<typeof backend.schema>

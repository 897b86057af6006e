import { Type, type Static } from 'typebox'
import { Flag, SizedText, Text, inline } from '../../schemas/primitives.ts'
import { MAX_OUTPUT_SCHEMA_BYTES } from '../../schemas/settings.ts'
import { TaskActivation } from '../../schemas/task.ts'
import { description, documentSchema, type Kind } from '../kind.ts'

const PersonaTask = Type.Object(
  {
    subject: Text('What to do, in one line.', { minLength: 1, maxLength: 1024 }),
    description: Text('What the agent needs to know to do it.', { default: '', maxLength: 65_536 }),
    activation: Type.Optional(inline(TaskActivation)),
  },
  { additionalProperties: false },
)

export const persona = {
  kind: 'persona',
  summary: 'How an agent behaves: its system prompt, model settings and standing tasks.',
  inputFormat: 'INPUT_FORMAT_MARKDOWN',
  bodyField: 'prompt',
  schema: documentSchema('A persona.', {
    description,
    prompt: Text('The system prompt: the text under the front matter.', { default: '', maxLength: 262_144 }),
    model: Text('The model; empty leaves it to the workspace.', { default: '', maxLength: 255 }),
    reasoningEffort: Text('The effort; empty leaves it to the backend.', { default: '', maxLength: 32 }),
    serviceTier: Text('The tier, on backends that have tiers.', { default: '', maxLength: 32 }),
    fastMode: Flag('Whether to trade cost for speed.', { default: false }),
    outputSchema: SizedText('A JSON Schema, as a string, for structured output.', {
      default: '',
      maxBytes: MAX_OUTPUT_SCHEMA_BYTES,
    }),
    tasks: Type.Array(PersonaTask, {
      default: [],
      maxItems: 100,
      description: 'Added to the checklist of each agent with this persona.',
    }),
  }),
  example: {
    description: 'Reviews changes before a person does.',
    prompt: 'You review code. Be brief, be kind, name the line.',
    model: 'claude-sonnet-5',
    reasoningEffort: 'high',
    serviceTier: '',
    fastMode: false,
    outputSchema: '',
    tasks: [
      { subject: 'Run the tests', description: '', activation: { filesModified: { pattern: '**/*.ts' } } },
    ],
  },
} satisfies Kind
export type PersonaDocument = Static<typeof persona.schema>

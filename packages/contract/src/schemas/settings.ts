import { Type, type Static } from 'typebox'
import { LABEL_NAME_PATTERN, MAX_LABEL_VALUE_LENGTH, MAX_LABELS } from '../facts/labels.ts'
import { MAX_NAME_LENGTH } from '../facts/names.ts'
import { Flag, SizedText, Text } from './primitives.ts'

export const MAX_OUTPUT_SCHEMA_BYTES = 64 * 1024
export const MAX_DESCRIPTION_BYTES = 256 * 1024
export const MAX_BUDGET_USD = 1_000_000_000

/** How an agent's turns are executed. Set at spawn; a follow-up may change them for all later turns. */
export const settingsInput = {
  agent: Type.Optional(
    Text('The persona. Empty: the workspace’s default, or no change.', { maxLength: MAX_NAME_LENGTH }),
  ),
  model: Type.Optional(Text('The model. Empty: the persona’s, or no change.', { maxLength: 255 })),
  reasoningEffort: Type.Optional(
    Text('How hard the model thinks: low, medium, high, xhigh or max on backend A; none to xhigh on B.', {
      maxLength: 32,
    }),
  ),
  serviceTier: Type.Optional(Text('Backend B only: standard, fast or flex.', { maxLength: 32 })),
  fastMode: Type.Optional(Flag('Whether to trade cost for speed. Absent: no change.')),
  outputSchema: Type.Optional(
    SizedText('A JSON Schema (2020-12), as a string, for structured output. Empty: no change.', {
      maxBytes: MAX_OUTPUT_SCHEMA_BYTES,
    }),
  ),
}

const Labels = Type.Record(
  Type.String({ pattern: LABEL_NAME_PATTERN }),
  Type.String({ maxLength: MAX_LABEL_VALUE_LENGTH }),
  {
    additionalProperties: false,
    maxProperties: MAX_LABELS,
    description: 'Arbitrary key-value pairs to find agents by.',
  },
)

export const labels = Labels
export type Labels = Static<typeof Labels>

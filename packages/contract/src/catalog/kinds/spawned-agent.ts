import { Type } from 'typebox'
import { Flag, SizedText, Text } from '../../schemas/primitives.ts'
import { MAX_BUDGET_USD, MAX_DESCRIPTION_BYTES } from '../../schemas/settings.ts'
import { Reference } from '../kind.ts'

/** Settings of the agents that a schedule or a trigger starts. */
export const spawnedAgent = {
  expectedOutput: SizedText('The expected result.', { default: '', maxBytes: MAX_DESCRIPTION_BYTES }),
  persona: Reference('persona', 'The persona; empty means the workspace’s default.'),
  model: Text('The model; empty leaves it to the persona.', { default: '', maxLength: 255 }),
  reasoningEffort: Text('The effort; empty leaves it to the persona.', { default: '', maxLength: 32 }),
  autoComplete: Flag('Whether the agent completes when its turn ends with nothing open.', {
    default: true,
  }),
  maxCost: Type.Number({
    default: 0,
    minimum: 0,
    maximum: MAX_BUDGET_USD,
    description: 'Budget in US dollars for each agent and its subtree; 0 means none.',
  }),
}

export const spawnedAgentExample = {
  expectedOutput: '',
  persona: 'default',
  model: '',
  reasoningEffort: '',
  autoComplete: true,
  maxCost: 5,
}

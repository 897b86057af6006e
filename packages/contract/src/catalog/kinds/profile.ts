import { Text } from '../../schemas/primitives.ts'
import { description, documentSchema, type Kind } from '../kind.ts'

export const profile = {
  kind: 'profile',
  summary: 'A service profile: an owner of agents that is not a person.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A service profile.', {
    description,
    displayName: Text('The display name.', { default: '', maxLength: 255 }),
    contact: Text('Who to contact about it.', { default: '', maxLength: 255 }),
  }),
  example: {
    description: 'Runs the nightly upkeep.',
    displayName: 'Night shift',
    contact: 'ops',
  },
} satisfies Kind

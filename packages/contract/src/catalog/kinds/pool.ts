import { Type } from 'typebox'
import { Choice, Text } from '../../schemas/primitives.ts'
import { description, documentSchema, Reference, type Kind } from '../kind.ts'

/** Weakest first. */
export const SANDBOXES = ['process', 'bubblewrap'] as const
export type SandboxName = (typeof SANDBOXES)[number]

export const BUILD_FEATURES = ['deferral'] as const

export const pool = {
  kind: 'pool',
  summary: 'A pool of runners: how many runs at once, in which sandbox, on which machine.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A runner pool.', {
    description,
    maxRuns: Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      default: 100,
      description: 'Maximum number of concurrent runs.',
    }),
    sandbox: Choice(SANDBOXES, 'The sandbox that agents run in.', { default: 'bubblewrap' }),
    vmProfile: Reference('vm-profile', 'The machine that runs get.'),
    build: Type.Object(
      {
        name: Text('The build that the pool’s runners run.', { default: '', maxLength: 255 }),
        features: Type.Optional(
          Type.Array(Choice(BUILD_FEATURES, 'A feature.'), {
            uniqueItems: true,
            description: 'What the build can do. Default: everything.',
          }),
        ),
      },
      { additionalProperties: false, default: { name: '' }, description: 'What the runners can do.' },
    ),
  }),
  example: { description: '', maxRuns: 32, sandbox: 'bubblewrap', vmProfile: 'default', build: { name: '' } },
} satisfies Kind

import { Type } from 'typebox'
import { Duration, Text } from '../../schemas/primitives.ts'
import { description, documentSchema, type Kind } from '../kind.ts'

export const vmProfile = {
  kind: 'vm-profile',
  summary: 'The size, image and time limits of the machine that a run gets.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A machine profile.', {
    description,
    cpus: Type.Number({ exclusiveMinimum: 0, maximum: 1024, default: 2, description: 'Processor cores.' }),
    memoryMib: Type.Integer({
      minimum: 64,
      maximum: 16_777_216,
      default: 4096,
      description: 'Memory in MiB.',
    }),
    diskMib: Type.Integer({
      minimum: 64,
      maximum: 1_073_741_824,
      default: 20_480,
      description: 'Disk in MiB.',
    }),
    image: Text('The image, for sandboxes that start from one.', { default: '', maxLength: 2048 }),
    runTimeLimit: Duration('How long one run may take; 0s means no limit.', { default: '0s' }),
    idleTimeLimit: Duration('How long a run may show no progress; 0s means no limit.', { default: '1800s' }),
  }),
  example: {
    description: 'Enough for a large build.',
    cpus: 8,
    memoryMib: 16_384,
    diskMib: 102_400,
    image: '',
    runTimeLimit: '14400s',
    idleTimeLimit: '1800s',
  },
} satisfies Kind

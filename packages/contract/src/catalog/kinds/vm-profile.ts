import { Type } from 'typebox'
import { Duration } from '../../schemas/primitives.ts'
import { description, documentSchema, type Kind } from '../kind.ts'

export const vmProfile = {
  kind: 'vm-profile',
  summary: 'The size and the time limits of the machine that a run gets.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema(
    'A machine profile. Its runs are not assigned to a runner that cannot enforce one of its limits.',
    {
      description,
      cpus: Type.Number({
        minimum: 0,
        maximum: 1024,
        default: 2,
        description: 'Processor cores, such as 0.5; 0 means no limit.',
      }),
      memoryMib: Type.Integer({
        minimum: 0,
        maximum: 16_777_216,
        default: 4096,
        description: 'Memory in MiB, at least 64; 0 means no limit.',
      }),
      diskMib: Type.Integer({
        minimum: 0,
        maximum: 1_073_741_824,
        default: 20_480,
        description: 'Disk for the agent’s own files in MiB, at least 64; 0 means no limit.',
      }),
      processes: Type.Integer({
        minimum: 0,
        maximum: 4_194_304,
        default: 1024,
        description: 'Processes and threads at once, at least 16; 0 means that the profile sets no limit.',
      }),
      runTimeLimit: Duration('How long one run may take; 0s means no limit.', { default: '0s' }),
      idleTimeLimit: Duration('How long a run may show no progress; 0s means no limit.', {
        default: '1800s',
      }),
    },
  ),
  example: {
    description: 'Enough for a large build.',
    cpus: 8,
    memoryMib: 16_384,
    diskMib: 102_400,
    processes: 4096,
    runTimeLimit: '14400s',
    idleTimeLimit: '1800s',
  },
} satisfies Kind

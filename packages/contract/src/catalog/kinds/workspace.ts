import { Type } from 'typebox'
import { Choice, Text } from '../../schemas/primitives.ts'
import { description, documentSchema, Reference, type Kind } from '../kind.ts'
import { hostStarts } from './host-starts.ts'

const Repo = Type.Object(
  {
    url: Text('Where to clone it from.', { minLength: 1, maxLength: 2048 }),
    baseBranch: Text('The branch that work starts from; empty means the repository’s own default.', {
      default: '',
      maxLength: 255,
    }),
    credential: Reference(
      'secret',
      'The secret to sign in with: user:password or a token. It stays with the runner.',
    ),
    codeHost: Reference(
      'code-host',
      'The code host that has it. Each run then gets its own credential, so `credential` is not needed.',
    ),
  },
  { additionalProperties: false },
)

export const workspace = {
  kind: 'workspace',
  summary: 'The repositories, environment and defaults that an agent works with.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A workspace.', {
    description,
    repos: Type.Array(Repo, {
      default: [],
      maxItems: 64,
      description: 'The repositories, the main one first.',
    }),
    environment: Reference('environment', 'How the sandbox is prepared.'),
    persona: Reference('persona', 'The default persona of its agents.'),
    model: Text('The model, if neither the request nor the persona names one.', {
      default: '',
      maxLength: 255,
    }),
    openPullRequests: Choice(
      ['when-asked', 'first-push'],
      'When a pull request is opened for an agent’s branch, in repositories of a code host: when the agent does it with its tool, or as a draft at its first push.',
      { default: 'when-asked' },
    ),
    reviewRounds: Type.Integer({
      default: 5,
      minimum: 0,
      maximum: 50,
      description:
        'How often review comments and failing checks of a pull request go to its agent before a person is asked; 0 means never.',
    }),
    hostStarts: Type.Optional(hostStarts),
    pool: Reference('pool', 'The runners that execute the runs; empty means the pool named default.'),
    team: Reference(
      'team',
      'The team it belongs to: only its members and admins see it and its agents. Empty means that it belongs to everyone.',
    ),
  }),
  example: {
    description: 'The shop and its API.',
    repos: [
      { url: 'https://github.com/acme/shop.git', baseBranch: 'main', credential: '', codeHost: 'github' },
    ],
    environment: 'default',
    persona: 'default',
    model: '',
    openPullRequests: 'when-asked',
    reviewRounds: 5,
    hostStarts: {
      mention: 'skein',
      label: 'agent',
      assignee: '',
      profile: 'night-shift',
      instructions: 'Run the tests before you push.',
      expectedOutput: '',
      persona: 'default',
      model: '',
      reasoningEffort: '',
      autoComplete: false,
      maxCost: 5,
      closesIssues: true,
      perPerson: 5,
      perRepository: 20,
    },
    pool: 'default',
    team: '',
  },
} satisfies Kind

import { Type, type Static } from 'typebox'
import { Choice, Flag, Text } from '../../schemas/primitives.ts'
import { documentSchema, type Kind } from '../kind.ts'

export const PULL_REQUEST_STATES = ['open', 'closed', 'merged'] as const

const CHECKS_STATES = ['none', 'pending', 'passing', 'failing'] as const
const REVIEW_PHASES = ['watching', 'working', 'stopped', 'ended'] as const
const THREAD_STATES = ['delivered', 'answered', 'posted', 'failed'] as const

const Thread = Type.Object(
  {
    thread: Text('Identifies it for the agent.'),
    author: Text('Who wrote the newest comment that was delivered.'),
    path: Text('The file; empty if it is not about a line.'),
    line: Type.Integer({ description: 'The line; 0 if it is not about one.' }),
    round: Type.Integer({ description: 'The round that last delivered it.' }),
    state: Choice(
      THREAD_STATES,
      'Given to the agent; answered by it; posted on the code host; the code host refused the answer.',
    ),
  },
  { additionalProperties: false },
)

export const pullRequest = {
  kind: 'pull-request',
  summary: 'A pull request that an agent opened. Read-only: the service maintains it.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A pull request.', {
    codeHost: Text('The code host.'),
    repository: Text('The repository on it, as owner/name.'),
    number: Type.Integer({ description: 'Its number there.' }),
    url: Text('Where people find it.'),
    title: Text('Its title, as last read from the code host.'),
    state: Choice(PULL_REQUEST_STATES, 'Its state, as last read from the code host.'),
    draft: Flag('Whether it is a draft.'),
    head: Text('The branch with the changes.'),
    base: Text('The branch that they are for.'),
    workspace: Text('The workspace of the agent that opened it.'),
    account: Text('The owner of that agent.'),
    agent: Text('That agent, as a path such as fix/tests.'),
    checks: Choice(CHECKS_STATES, 'The state of its checks, as last read from the code host.'),
    isConflicting: Flag('Whether it conflicts with its base, as last read from the code host.'),
    review: Choice(
      REVIEW_PHASES,
      'Waiting for news; the agent has some; stopped until a person sends the agent a message; over.',
    ),
    reviewProblem: Text('Why updates do not reach the agent; empty if they do.'),
    rounds: Type.Integer({
      description: 'How often news was given to the agent since a person last helped.',
    }),
    threads: Type.Array(Thread, {
      description: 'Threads that were given to the agent, the newest 100. Empty in a list.',
    }),
  }),
  example: {
    codeHost: 'github',
    repository: 'acme/shop',
    number: 12,
    url: 'https://github.com/acme/shop/pull/12',
    title: 'Retry the download',
    state: 'open',
    draft: false,
    head: 'skein/fix',
    base: 'main',
    workspace: 'shop',
    account: 'ada',
    agent: 'fix',
    checks: 'failing',
    isConflicting: false,
    review: 'working',
    reviewProblem: '',
    rounds: 1,
    threads: [
      {
        thread: 'shop-12-3f9a1c07/c81',
        author: 'grace',
        path: 'src/get.ts',
        line: 7,
        round: 1,
        state: 'delivered',
      },
    ],
  },
} satisfies Kind
export type PullRequestDocument = Static<typeof pullRequest.schema>

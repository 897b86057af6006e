import { Type, type Static } from 'typebox'
import { Choice, Flag, Text } from '../../schemas/primitives.ts'
import { documentSchema, type Kind } from '../kind.ts'

export const PULL_REQUEST_STATES = ['open', 'closed', 'merged'] as const

export const pullRequest = {
  kind: 'pull-request',
  summary: 'A pull request that an agent opened. The service keeps it; nobody can write it.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A pull request.', {
    codeHost: Text('The code host.'),
    repository: Text('The repository on it, as owner/name.'),
    number: Type.Integer({ description: 'Its number there.' }),
    url: Text('Where people find it.'),
    title: Text('Its title, as on the code host when last looked at.'),
    state: Choice(PULL_REQUEST_STATES, 'Its state, as on the code host when last looked at.'),
    draft: Flag('Whether it is a draft.'),
    head: Text('The branch with the changes.'),
    base: Text('The branch that they are for.'),
    workspace: Text('The workspace of the agent that opened it.'),
    account: Text('The owner of that agent.'),
    agent: Text('That agent, as a path such as fix/tests.'),
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
  },
} satisfies Kind
export type PullRequestDocument = Static<typeof pullRequest.schema>

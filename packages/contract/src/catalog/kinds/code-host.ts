import type { Static } from 'typebox'
import { Choice, Text } from '../../schemas/primitives.ts'
import { description, documentSchema, Reference, RequiredReference, type Kind } from '../kind.ts'

const BASE_URL = '^https?://[^\\s?#]+$'

export const codeHost = {
  kind: 'code-host',
  summary: 'A service that hosts repositories, and how Skein signs in to it.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('A code host.', {
    description,
    type: Choice(
      ['github', 'gitea', 'gitlab'],
      'What it is: github for GitHub and GitHub Enterprise, gitea for Gitea and Forgejo, gitlab for GitLab.com and GitLab Self-Managed.',
    ),
    url: Text('Where people find it. Its repositories’ URLs begin with this.', {
      pattern: BASE_URL,
      maxLength: 1024,
    }),
    apiUrl: Text('Where its API is. Empty means the usual place.', {
      default: '',
      pattern: '^(https?://[^\\s?#]+)?$',
      maxLength: 1024,
    }),
    appId: Text('github: the id of the App that is installed for the repositories.', {
      default: '',
      pattern: '^[A-Za-z0-9._-]{0,64}$',
    }),
    credential: RequiredReference(
      'secret',
      'The secret to sign in with. github: the App’s private key, as PEM. gitea: an access token of a user. gitlab: an access token of a project, a group or a user.',
    ),
    gitCredential: Reference(
      'secret',
      'gitea, gitlab: the secret with the token that runners push and fetch with. Empty means the credential above. github issues one for each run.',
    ),
    webhookSecret: Reference(
      'secret',
      'The secret that it signs its webhooks with; gitlab sends it with them. Empty means that none are accepted: news is then noticed minutes later.',
    ),
  }),
  example: {
    description: 'Our organisation on GitHub.',
    type: 'github',
    url: 'https://github.com',
    apiUrl: '',
    appId: '12345',
    credential: 'github-app-key',
    gitCredential: '',
    webhookSecret: 'github-webhooks',
  },
} satisfies Kind
export type CodeHostDocument = Static<typeof codeHost.schema>

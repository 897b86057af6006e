import { Type, type Static } from 'typebox'
import { Flag, SizedText, Text } from '../../schemas/primitives.ts'
import { RequiredReference } from '../kind.ts'
import { spawnedAgent } from './spawned-agent.ts'

const MAX_INSTRUCTIONS_BYTES = 16 * 1024

/** A user name on a code host, or empty. */
const LOGIN_PATTERN = '^([A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)?$'

/** What starts agents from issues and pull requests, and which. */
export const hostStarts = Type.Object(
  {
    mention: Text(
      'People start an agent by mentioning this name, as in @skein, in an issue or in a comment. Empty means that mentions start none.',
      { default: '', pattern: LOGIN_PATTERN },
    ),
    label: Text(
      'Setting this label on an issue or a pull request starts an agent. Empty means that labels start none.',
      { default: '', pattern: '^(\\S(.{0,98}\\S)?)?$' },
    ),
    assignee: Text(
      'Assigning an issue or a pull request to this user starts an agent. Empty means that assignments start none.',
      { default: '', pattern: LOGIN_PATTERN },
    ),
    profile: RequiredReference('profile', 'The service profile that owns the agents.'),
    instructions: SizedText('Added to the task of each agent, before the text of the issue.', {
      default: '',
      maxBytes: MAX_INSTRUCTIONS_BYTES,
    }),
    ...spawnedAgent,
    autoComplete: Flag(
      'Whether the agent completes when its turn ends with nothing open. Reviews then no longer reach it.',
      { default: false },
    ),
    closesIssues: Flag(
      'Whether merging the pull request of an agent closes the issue. Otherwise it only names the issue.',
      { default: true },
    ),
    perPerson: Type.Integer({
      default: 5,
      minimum: 1,
      maximum: 100,
      description: 'How often one person can start or continue agents in an hour.',
    }),
    perRepository: Type.Integer({
      default: 20,
      minimum: 1,
      maximum: 100,
      description: 'How often agents can be started or continued from one repository in an hour.',
    }),
  },
  {
    additionalProperties: false,
    description:
      'What people with write access to its repositories can start agents with, on their code hosts. Absent means nothing.',
  },
)
export type HostStarts = Static<typeof hostStarts>

import { Type, type Static } from 'typebox'
import { TEAM_ROLES } from '../../facts/roles.ts'
import { Choice, Duration, Flag, Text } from '../../schemas/primitives.ts'
import { description, documentSchema, Reference, RequiredReference, type Kind } from '../kind.ts'

const DOMAIN = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$'
const domain = Text('A domain, in lower case.', { pattern: DOMAIN, maxLength: 253 })

export const identityProvider = {
  kind: 'identity-provider',
  summary: 'An OpenID Connect provider, or a code host, that people of the tenant sign in with.',
  inputFormat: 'INPUT_FORMAT_YAML',
  schema: documentSchema('An identity provider.', {
    description,
    title: Text('What the button on the sign-in page says, after “Continue with”.', {
      minLength: 1,
      maxLength: 64,
      pattern: '^[^\\u0000-\\u001f\\u007f]+$',
    }),
    issuer: Text('The provider’s issuer URL, exactly as it is in its tokens. Empty with a code host.', {
      default: '',
      pattern: '^(https?://[^\\s?#]+)?$',
      maxLength: 1024,
    }),
    codeHost: Reference(
      'code-host',
      'The code host that people sign in with, instead of an OpenID Connect provider. Their accounts have the provider ' +
        '`PROVIDER_CODEHOST_OAUTH` and the name of their login.',
    ),
    organizations: Type.Array(
      Text('An organization of the code host.', { pattern: '^[A-Za-z0-9._-]+$', maxLength: 100 }),
      {
        default: [],
        maxItems: 16,
        uniqueItems: true,
        description:
          'With a code host, and required there: a person must be a member of one of these. The claim `groups` has their ' +
          'organizations, such as `acme`, and teams, such as `acme:payments`, in lower case.',
      },
    ),
    opensPullRequests: Flag(
      'With a code host: whether the pull requests of a person’s agents are opened with the person’s own token, if it can. ' +
        'People who may drive these agents can then have them opened in the person’s name.',
      { default: false },
    ),
    clientId: Text('The client that is registered at the provider for Skein.', {
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\u0020-\\u007e]+$',
    }),
    clientSecret: RequiredReference('secret', 'The secret with the client’s password.'),
    scopes: Type.Array(
      Text('A scope.', { pattern: '^[\\u0021\\u0023-\\u005b\\u005d-\\u007e]+$', maxLength: 64 }),
      {
        default: ['email', 'profile'],
        maxItems: 16,
        uniqueItems: true,
        description:
          'What to ask for in addition to `openid`, or, with a code host, to what it takes to read memberships.',
      },
    ),
    accountClaim: Choice(
      ['email', 'preferred_username', 'sub'],
      'The claim that names a person’s account at the first sign-in, unless they sign in with a code host. Later sign-ins recognise the person by issuer and subject. ' +
        'Choose `preferred_username` only if people cannot change it themselves.',
      { default: 'email' },
    ),
    emailDomains: Type.Array(domain, {
      default: [],
      maxItems: 64,
      uniqueItems: true,
      description: 'If set, a person needs a verified e-mail address in one of these domains.',
    }),
    hostedDomains: Type.Array(domain, {
      default: [],
      maxItems: 64,
      uniqueItems: true,
      description: 'If set, the claim `hd` must be one of these, as with Google Workspace.',
    }),
    roles: Type.Array(
      Type.Object(
        {
          claim: Text('The claim. Use dots for nested objects, such as `realm_access.roles`.', {
            minLength: 1,
            maxLength: 128,
          }),
          value: Text('The value, or one of the values if the claim is a list.', {
            minLength: 1,
            maxLength: 255,
          }),
          role: Choice(['viewer', 'member', 'admin'], 'What the person may do.'),
        },
        { additionalProperties: false },
      ),
      {
        default: [],
        maxItems: 64,
        description: 'Which claims give which role. If several match, the role that allows most counts.',
      },
    ),
    defaultRole: Choice(
      ['none', 'viewer', 'member'],
      'The role of people to whom none of these rules applies. With `none`, they cannot sign in.',
      { default: 'none' },
    ),
    teams: Type.Array(
      Type.Object(
        {
          claim: Text('The claim, as for roles.', { minLength: 1, maxLength: 128 }),
          value: Text('The value, or one of the values if the claim is a list.', {
            minLength: 1,
            maxLength: 255,
          }),
          team: RequiredReference('team', 'The team.'),
          role: Choice(TEAM_ROLES, 'The role in the team.', { default: 'member' }),
        },
        { additionalProperties: false },
      ),
      {
        default: [],
        maxItems: 64,
        description:
          'Which claims make a person a member of a team, until their next sign-in. In addition to the members that the team lists.',
      },
    ),
    sessionDuration: Duration('How long a sign-in lasts: from 5 minutes to 7 days.', { default: '43200s' }),
    paused: Flag('Whether sign-in with it is blocked. Existing sessions end.', { default: false }),
  }),
  example: {
    description: 'Our Keycloak.',
    title: 'Acme',
    issuer: 'https://sso.acme.example.com/realms/acme',
    codeHost: '',
    organizations: [],
    opensPullRequests: false,
    clientId: 'skein',
    clientSecret: 'keycloak-client',
    scopes: ['email', 'profile'],
    accountClaim: 'email',
    emailDomains: ['acme.example.com'],
    hostedDomains: [],
    roles: [{ claim: 'groups', value: '/skein-admins', role: 'admin' }],
    defaultRole: 'member',
    teams: [{ claim: 'groups', value: '/payments', team: 'payments', role: 'member' }],
    sessionDuration: '43200s',
    paused: false,
  },
} satisfies Kind
export type IdentityProviderDocument = Static<typeof identityProvider.schema>

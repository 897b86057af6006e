import { readFileSync } from 'node:fs'
import {
  ceiling,
  ConfigError,
  LogLevel,
  parseJson,
  readSettings,
  secretSetting,
  summarizeViolations,
  TraceEndpoint,
  validatorFor,
} from '@skein/contract'
import {
  BUILT_IN_CEILING,
  ceilingOf,
  INSTALLATION_CEILING,
  isDocument,
  MIN_SEGMENT_DAYS,
  NO_CEILING,
  parseDocument,
  withDefaults,
  type Ceiling,
} from '@skein/core'
import { Type, type Static } from 'typebox'

const POOL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const POOLS_PATTERN = `${POOL}(,${POOL}){0,49}`

/** Every setting of the server. docs/configuration.md is generated from this. */
export const ConfigSchema = Type.Object({
  SKEIN_DATABASE_URL: secretSetting({
    description:
      'PostgreSQL, as the role the server uses: a member of skein_server that owns nothing. Needed by `serve`.',
  }),
  SKEIN_LISTEN_DATABASE_URL: secretSetting({
    description:
      'The same database for notifications between servers, if SKEIN_DATABASE_URL goes through a pooler in transaction mode, which does not pass them on. Empty means SKEIN_DATABASE_URL.',
  }),
  SKEIN_READ_DATABASE_URL: secretSetting({
    description:
      'A streaming replica of the database, with the same role, from which lists and timelines are read. Empty means SKEIN_DATABASE_URL. Use the same on all servers.',
  }),
  SKEIN_OWNER_DATABASE_URL: secretSetting({
    description:
      'PostgreSQL, as the owner of the tables. Needed by all commands except `serve`, which never needs it.',
  }),
  SKEIN_MASTER_KEY: secretSetting({
    description:
      'Encrypts stored secrets: 32 random bytes in base64. Several, separated by commas, during a rotation: the first encrypts, all of them decrypt.',
  }),
  SKEIN_TARGET_OWNER_DATABASE_URL: secretSetting({
    description:
      'The database of another cell, as the owner of its tables. Only for `skein-admin tenant move`, which moves a tenant there.',
  }),
  SKEIN_TARGET_MASTER_KEY: secretSetting({
    description: 'The SKEIN_MASTER_KEY of that other cell.',
  }),
  SKEIN_HOST: Type.String({ default: '127.0.0.1', description: 'The address to listen on.' }),
  SKEIN_PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65_535,
    description: 'The port to listen on; 0 picks a free one.',
  }),
  SKEIN_PUBLIC_URL: Type.String({
    default: 'http://127.0.0.1:8080',
    pattern: '^https?://',
    description: 'The public URL of the service; every dashboardUrl starts with it.',
  }),
  SKEIN_DASHBOARD_DIR: Type.String({
    default: '',
    description:
      'The folder with the built dashboard, which is served at `/`. Default: that of the package @skein/dashboard, if it is installed.',
  }),
  SKEIN_LEASE_MS: Type.Integer({
    default: 30_000,
    minimum: 1000,
    maximum: 3_600_000,
    description: 'How long a runner may be silent before its run is retried elsewhere.',
  }),
  SKEIN_SESSION_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 0,
    maximum: 3650,
    description:
      'How many days after its end an agent can be continued. After that, runners delete its conversation and unfinished work.',
  }),
  SKEIN_AGENT_RETENTION_DAYS: Type.Integer({
    default: 400,
    minimum: 1,
    maximum: 36_500,
    description:
      'How many days after its end an agent is deleted, with its messages and timeline. A tree is deleted as a whole, after all of its agents have ended and runners have deleted their conversations.',
  }),
  SKEIN_TIMELINE_RETENTION_DAYS: Type.Integer({
    default: 400,
    minimum: 1,
    maximum: 36_500,
    description: 'Minimum retention of timelines. Whole months are dropped.',
  }),
  SKEIN_BLOBS: Type.String({
    default: '',
    description:
      'Where old events are kept: file:/path or s3://bucket/prefix?region=…&endpoint=…&pathStyle=… (see [old timelines](operations.md#old-timelines)). All servers must share it. Empty means that all events stay in PostgreSQL.',
  }),
  SKEIN_SEGMENT_DAYS: Type.Integer({
    default: 30,
    minimum: MIN_SEGMENT_DAYS,
    maximum: 36_500,
    description: 'How many days after the end of their month (UTC) events move to SKEIN_BLOBS.',
  }),
  SKEIN_BACKUP_DAYS: Type.Integer({
    default: 30,
    minimum: 0,
    maximum: 3650,
    description:
      'How many days you keep backups of PostgreSQL. Objects of SKEIN_BLOBS are deleted this many days after nothing refers to them any more, because a restored backup still needs them.',
  }),
  SKEIN_CELL: Type.String({
    default: 'c1',
    pattern: '^[a-z0-9]{1,8}$',
    description: 'The name of this cell; every key id starts with it, so that an edge can route requests.',
  }),
  SKEIN_DATABASE_CONNECTIONS: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 1000,
    description:
      'Maximum database connections per server. With 4 or more, a fifth is reserved for heartbeats, completions and readiness, and no tenant gets all of the rest.',
  }),
  SKEIN_DATABASE_CONNECT_MS: Type.Integer({
    default: 3000,
    minimum: 100,
    maximum: 60_000,
    description:
      'How long a new connection to PostgreSQL may take before calls get 503. Keep it below the 5 seconds that a runner waits for a response to its heartbeat.',
  }),
  SKEIN_READ_MAX_LAG_SECONDS: Type.Integer({
    default: 10,
    minimum: 1,
    maximum: 3600,
    description:
      'How far SKEIN_READ_DATABASE_URL may lag for a caller that has changed nothing. If it lags more, the primary is read.',
  }),
  SKEIN_LOG_LEVEL: LogLevel,
  SKEIN_TRUSTED_PROXIES: Type.String({
    default: '',
    description:
      'Addresses or networks of proxies in front, separated by commas. X-Forwarded-For is trusted only from these.',
  }),
  SKEIN_ADDRESS_REQUESTS_PER_MINUTE: Type.Integer({
    default: 6000,
    minimum: 0,
    description: 'Requests from one address, on one server; 0 means no limit.',
  }),
  SKEIN_CALLER_REQUESTS_PER_MINUTE: Type.Integer({
    default: 6000,
    minimum: 0,
    description: 'Requests with one token, on one server; 0 means no limit.',
  }),
  SKEIN_SIGN_INS_PER_MINUTE: Type.Integer({
    default: 60,
    minimum: 0,
    description:
      'Sign-ins from one address, and with one key, across all servers; a failed one counts as six. 0 means no limit.',
  }),
  SKEIN_SIGN_IN_ORG: Type.String({
    default: '',
    maxLength: 255,
    description:
      'The organization whose identity providers the sign-in page offers to people who did not come through a link of their own organization. Empty means none: they enter its name.',
  }),
  SKEIN_CALLER_STREAMS: Type.Integer({
    default: 100,
    minimum: 0,
    description:
      'Watches that one token keeps open on one server, and ten times as many waits; 0 means no limit.',
  }),
  SKEIN_TENANT_STREAMS: Type.Integer({
    default: 1000,
    minimum: 0,
    description:
      'Watches that one tenant keeps open on one server, and ten times as many waits; 0 means no limit.',
  }),
  SKEIN_MAX_EVENT_LOOP_DELAY_MS: Type.Integer({
    default: 1000,
    minimum: 0,
    description:
      'While its event loop lags more than this, the server responds to API calls with 503; it still serves runners, the dashboard’s files and health checks. 0 means never.',
  }),
  SKEIN_SHUTDOWN_DELAY_MS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 600_000,
    description:
      'How long the server continues to serve after SIGTERM, with /readyz already failing, so that load balancers notice before it closes. Behind a balancer, use its check interval times the failures it needs, plus a second.',
  }),
  SKEIN_SHUTDOWN_GRACE_MS: Type.Integer({
    default: 20_000,
    minimum: 0,
    description:
      'How long requests in progress may continue after that. Then the process ends anyway. Both together must be shorter than the time after which your supervisor kills it (Kubernetes: 30 seconds, systemd: 90).',
  }),
  SKEIN_METRICS_POOLS: Type.String({
    default: 'default',
    pattern: `^(${POOLS_PATTERN})?$`,
    description:
      'Pools whose queues /metrics shows separately, separated by commas, at most 50. All others are shown together as `(other)`: tenants create pools, and must not be able to flood your monitoring.',
  }),
  SKEIN_METRICS_TOKEN: secretSetting({
    description: 'If set, /metrics requires it as a bearer token.',
  }),
  SKEIN_ROLES: Type.String({
    default: 'api,automations',
    pattern: '^(api|automations|api,automations|automations,api)$',
    description:
      'What this server does: answer requests (`api`); send webhooks, apply triggers and fire schedules (`automations`). Separate the two if the process that calls URLs of tenants should be in its own network: one without `api` serves only /healthz, /readyz and /metrics.',
  }),
  SKEIN_OUTBOUND_ALLOW: Type.String({
    default: '',
    description:
      'Receivers of webhooks, code hosts and identity providers that may be contacted although they are not on the public internet, separated by commas: host names, addresses, or blocks of addresses such as `10.2.0.0/16`.',
  }),
  SKEIN_OUTBOUND_PROXY: Type.String({
    default: '',
    pattern: '^(https?://.+)?$',
    description:
      'A proxy for webhooks and calls to code hosts and identity providers. It then decides which addresses can be reached: names are resolved by the proxy and not checked by the server. HTTP_PROXY and HTTPS_PROXY are ignored.',
  }),
  SKEIN_SMTP_URL: secretSetting({
    description:
      'The mail server for integrations of the type `email` and for invitations, such as `smtps://user:password@mail.example.com` or, with STARTTLS, `smtp://user:password@mail.example.com:587`. Empty means that no e-mail is sent. With a password, the connection must be encrypted. Needed by servers with the role `automations`.',
  }),
  SKEIN_MAIL_FROM: Type.String({
    default: '',
    maxLength: 320,
    pattern: '^[^\\r\\n]*$',
    description: 'The sender of e-mail, such as `Skein <skein@example.com>`. Needed with SKEIN_SMTP_URL.',
  }),
  SKEIN_MAIL_DOMAINS: Type.String({
    default: '',
    description:
      'Domains to which tenants may send e-mail, separated by commas. Default: only the sender’s. `*` means all: then tenants can write to anyone in your name.',
  }),
  SKEIN_MAILS_PER_HOUR: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 1_000_000,
    description:
      'How many e-mails a tenant may send in an hour, counted by recipients. The rest waits for the next hour.',
  }),
  SKEIN_AUDIT_RETENTION_DAYS: Type.Integer({
    default: 400,
    minimum: 1,
    maximum: 36_500,
    description: 'Minimum retention of the audit log. Whole months are dropped.',
  }),
  SKEIN_HISTORY_RETENTION_DAYS: Type.Integer({
    default: 400,
    minimum: 1,
    maximum: 36_500,
    description:
      'How many days an old version of a resource is kept after it was replaced. The current version is always kept.',
  }),
  SKEIN_SPEND_RETENTION_DAYS: Type.Integer({
    default: 400,
    minimum: 31,
    maximum: 36_500,
    description: 'How many days hourly totals of spending and ended agents are kept.',
  }),
  SKEIN_CEILING: Type.String({
    default: '',
    description:
      'Limits for all tenants, unless an operator gives a tenant its own ceiling: a document of the kind `ceiling` as JSON, such as `{"networks":["none","gateway","open"]}`. Omitted fields have built-in values (see [catalog](catalog.md#ceiling)). `none` means no ceiling, for tenants that trust each other.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: TraceEndpoint,
})

export type Config = Readonly<Static<typeof ConfigSchema>>

export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  return readSettings(ConfigSchema, environment, (path) => readFileSync(path, 'utf8'))
}

export function hasRole({ SKEIN_ROLES }: Config, role: 'api' | 'automations'): boolean {
  return SKEIN_ROLES.split(',').includes(role)
}

/** A setting this command requires. */
export function requireSetting(
  config: Config,
  name: 'SKEIN_DATABASE_URL' | 'SKEIN_OWNER_DATABASE_URL' | 'SKEIN_TARGET_OWNER_DATABASE_URL',
): string {
  const value = config[name]
  if (value === '') {
    throw new ConfigError(`Neither ${name} nor ${name}_FILE is set (see docs/configuration.md).`)
  }
  return value
}

export function masterKeys(
  config: Config,
  name: 'SKEIN_MASTER_KEY' | 'SKEIN_TARGET_MASTER_KEY' = 'SKEIN_MASTER_KEY',
): Uint8Array[] {
  const keys = config[name]
    .split(',')
    .filter((text) => text !== '')
    .map((text) => Buffer.from(text.trim(), 'base64'))
  if (keys.length === 0 || keys.some((key) => key.length !== 32)) {
    throw new ConfigError(
      `${name} must be 32 bytes in base64. Create one with: node -p "crypto.randomBytes(32).toString('base64')"`,
    )
  }
  return keys
}

export function installationCeiling({ SKEIN_CEILING: text }: Config): Ceiling {
  if (text === '') return BUILT_IN_CEILING
  if (text === 'none') return NO_CEILING
  const parsed = parseJson(Buffer.from(text))
  const document = parsed.ok && isDocument(parsed.value) ? withDefaults(ceiling, parsed.value) : undefined
  const violations = document && validatorFor(ceiling.schema).violations(document)
  if (document && violations?.length === 0) {
    return ceilingOf(BUILT_IN_CEILING, parseDocument('ceiling', INSTALLATION_CEILING, document))
  }
  const problem = violations ? summarizeViolations(violations) : 'it is not a JSON object'
  throw new ConfigError(`SKEIN_CEILING is not a valid ceiling: ${problem} (see docs/configuration.md).`)
}

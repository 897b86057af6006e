import { readFileSync } from 'node:fs'
import { ConfigError, LogLevel, readSettings, secretSetting, TraceEndpoint } from '@skein/contract'
import { parseAddressRange, type AddressRange } from '@skein/core'
import { Type, type Static } from 'typebox'
import { networkPolicies, type NetworkPolicy, type SandboxLevel } from './sandbox/sandbox.ts'

/** Every setting of the runner. docs/configuration.md is generated from this. */
export const RunnerConfigSchema = Type.Object({
  SKEIN_URL: Type.String({
    default: 'http://127.0.0.1:8080',
    pattern: '^https?://',
    description: 'The service to get runs from.',
  }),
  SKEIN_API_KEY: secretSetting({ description: 'A key of the role runner.' }),
  SKEIN_RUNNER_NAME: Type.String({
    default: '',
    maxLength: 255,
    description:
      'The runner’s name in the list of runners; empty means the host’s name. Runners on the same host need different names.',
  }),
  SKEIN_RUNNER_BUILD: Type.String({
    default: '',
    maxLength: 255,
    description:
      'The version of your runner image, for the list of runners; empty means the runner’s own version.',
  }),
  SKEIN_RUNNER_POOLS: Type.String({
    default: '',
    description: 'The pools to serve, separated by commas. Default: all pools of the key.',
  }),
  SKEIN_RUNNER_DATA_DIR: Type.String({
    default: '.skein-runner',
    description: 'Where mirrors, workspaces and the front’s socket are kept. Not below /tmp.',
  }),
  SKEIN_RUNNER_BLOBS: Type.String({
    default: '',
    description:
      'Where conversations are saved for the next turn: file:/path or s3://bucket/prefix?region=…&endpoint=…&pathStyle=… (see runners). Runners of a pool must share it. Empty means a folder of the data directory.',
  }),
  SKEIN_RUNNER_CAPACITY: Type.Integer({
    default: 8,
    minimum: 1,
    maximum: 1000,
    description: 'How many runs to execute at the same time.',
  }),
  SKEIN_RUNNER_STARTS: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 100,
    description: 'How many runs to start at the same time. Starting one takes a core for about a second.',
  }),
  SKEIN_RUNNER_SANDBOXES: Type.String({
    default: 'bubblewrap',
    pattern: '^(process|bubblewrap)(,(process|bubblewrap))*$',
    description:
      'The sandboxes that this runner offers, separated by commas. process does not isolate agents.',
  }),
  SKEIN_RUNNER_NETWORKS: Type.String({
    default: '',
    pattern: '^(none|gateway|open)(,(none|gateway|open))*$|^$',
    description:
      'The network policies that this runner permits, separated by commas: none, gateway, open. Empty means all that its sandboxes can enforce.',
  }),
  SKEIN_RUNNER_ALLOWED_RANGES: Type.String({
    default: '',
    description:
      'Addresses that are not public but may be reached by agents with the network open: 10.20.0.5 or 10.20.0.0/16, separated by commas. IPv4 only, and never an address of this host itself.',
  }),
  SKEIN_RUNNER_HOST_NETWORK: Type.Boolean({
    default: false,
    description:
      'Whether agents may use the network of this host, including its loopback interface, if their sandbox cannot enforce the network policy: open without slirp4netns, and every policy in the process sandbox. For development.',
  }),
  SKEIN_RUNNER_MAX_PROCESSES: Type.Integer({
    default: 1024,
    minimum: 16,
    description: 'Maximum number of processes and threads in one sandbox, whatever the VM profile says.',
  }),
  SKEIN_RUNNER_MAX_FILE_MIB: Type.Integer({
    default: 4096,
    minimum: 1,
    description: 'The largest file that a sandbox can write.',
  }),
  SKEIN_RUNNER_BODIES_MIB: Type.Integer({
    default: 128,
    minimum: 32,
    description:
      'Memory for the model requests of all agents that are being received at the same time. A request of more than 1 MiB waits until there is room for it.',
  }),
  SKEIN_RUNNER_GIT_MIB: Type.Integer({
    default: 1024,
    minimum: 64,
    description:
      'Memory for each git process outside the sandboxes. If the runner can use cgroups, all of them together get four times as much.',
  }),
  SKEIN_RUNNER_MAX_PUSH_MIB: Type.Integer({
    default: 512,
    minimum: 1,
    maximum: 4096,
    description: 'The largest pack that an agent can push.',
  }),
  SKEIN_RUNNER_ACP: Type.String({
    default: '',
    pattern: '^([a-z0-9-]+=/[^;]+(;|$))*$',
    description:
      'Other agents, by the Agent Client Protocol: name=/path/to/program arguments, separated by semicolons. The name is that of a backend resource.',
  }),
  SKEIN_RUNNER_WARM_MS: Type.Integer({
    default: 180_000,
    minimum: 0,
    description:
      'How long an agent’s program is kept running for its next turn; 0 means that it is not kept.',
  }),
  SKEIN_RUNNER_REMOVE_MS: Type.Integer({
    default: 3_600_000,
    minimum: 100,
    maximum: 86_400_000,
    description: 'How often it deletes the data of agents that ended too long ago to be continued.',
  }),
  SKEIN_RUNNER_CACHE_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3650,
    description:
      'How many days it keeps the folder of an agent that has no run. Mirrors of repositories are kept a week longer than their last use. Both are made again when they are needed.',
  }),
  SKEIN_RUNNER_CHECKPOINT_MS: Type.Integer({
    default: 15_000,
    minimum: 0,
    description: 'The shortest time between two saves of unfinished work and the conversation during a run.',
  }),
  SKEIN_RUNNER_DRAIN_MS: Type.Integer({
    default: 10_000,
    minimum: 0,
    maximum: 86_400_000,
    description: 'How long runs may continue after SIGTERM before they are handed back.',
  }),
  SKEIN_RUNNER_HAND_BACK_MS: Type.Integer({
    default: 15_000,
    minimum: 0,
    maximum: 600_000,
    description:
      'How long handing back may take: saving the work and telling the service. A run that takes longer is retried elsewhere, from its last save, when its lease expires.',
  }),
  SKEIN_RUNNER_DISK_MIB: Type.Integer({
    default: 51_200,
    minimum: 64,
    description:
      'Disk space for the folders of all agents. The least recently used are removed first. If the folders in use alone exceed it, the run that has used the most is ended.',
  }),
  SKEIN_RUNNER_FREE_MIB: Type.Integer({
    default: 1024,
    minimum: 0,
    description:
      'Disk space to keep free on the disk of the data directory. Below it, the runner takes no runs; below half of it, the run that has used the most is ended.',
  }),
  SKEIN_LOG_LEVEL: LogLevel,
  OTEL_EXPORTER_OTLP_ENDPOINT: TraceEndpoint,
  SKEIN_RUNNER_METRICS_PORT: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 65_535,
    description: 'Serves /metrics and /healthz on this port; 0 means that they are not served.',
  }),
  SKEIN_RUNNER_METRICS_HOST: Type.String({
    default: '127.0.0.1',
    description:
      'The address for them. If Prometheus or a kubelet asks from elsewhere: 0.0.0.0, and a firewall or network policy, because no key is needed.',
  }),
  SKEIN_RUNNER_LOCAL_REPOS: Type.Boolean({
    default: false,
    description: 'Whether workspaces may name repositories on this host’s own disk. For development.',
  }),
  SKEIN_RUNNER_REPO_RANGES: Type.String({
    default: '',
    description:
      'Addresses that are not public but may be named as repositories, such as those of a company’s git host: 10.20.0.5, 10.20.0.0/16 or fd00::/8, separated by commas.',
  }),
  SKEIN_RUNNER_USER: Type.String({
    default: '',
    pattern: '^([a-z_][a-z0-9_.-]*|\\d+(:\\d+)?)?$',
    description:
      'The user that a runner started as root permanently switches to: a name, a uid, or uid:gid. Empty means the owner of the data directory, a user named skein, or else an unused uid from 60900 on.',
  }),
  SKEIN_RUNNER_TENANT_KEYS_ONLY: Type.Boolean({
    default: false,
    description:
      'Whether to offer backends without the runner’s own key, for tenants whose backends name a secret with theirs. The keys below are then not used.',
  }),
  ANTHROPIC_API_KEY: secretSetting({
    description: 'The key for Claude (backend a). It never enters a sandbox.',
  }),
  ANTHROPIC_BASE_URL: Type.String({
    default: 'https://api.anthropic.com',
    description: 'The provider of Claude (backend a), or a proxy for it.',
  }),
  OPENAI_API_KEY: secretSetting({
    description: 'The key for Codex (backend b). It never enters a sandbox.',
  }),
  OPENAI_BASE_URL: Type.String({
    default: 'https://api.openai.com/v1',
    description: 'The provider of Codex (backend b), or a proxy for it.',
  }),
})

export type RunnerConfig = Readonly<Static<typeof RunnerConfigSchema>>

export function readRunnerConfig(environment: Readonly<Record<string, string | undefined>>): RunnerConfig {
  const config = readSettings(RunnerConfigSchema, environment, (path) => readFileSync(path, 'utf8'))
  if (config.SKEIN_API_KEY === '') {
    throw new ConfigError(
      'SKEIN_API_KEY is not set. Create a token with the role runner and set this to its key (see docs/runners.md).',
    )
  }
  for (const setting of RANGES) readRanges(config, setting)
  return config
}

const RANGES = ['SKEIN_RUNNER_REPO_RANGES', 'SKEIN_RUNNER_ALLOWED_RANGES'] as const

/** Addresses or blocks named by the runner's operator. */
export function readRanges(config: RunnerConfig, setting: (typeof RANGES)[number]): AddressRange[] {
  const parts = config[setting].split(',').filter((part) => part.trim() !== '')
  return parts.map((part) => {
    const range = parseAddressRange(part)
    if (range) return range
    throw new ConfigError(
      `${setting} contains "${part.trim()}", which is neither an address nor an address range`,
    )
  })
}

export function offeredSandboxes({ SKEIN_RUNNER_SANDBOXES }: RunnerConfig): readonly SandboxLevel[] {
  return SKEIN_RUNNER_SANDBOXES.split(',').filter(isLevel)
}

/** Empty means everything the sandboxes support. */
export function permittedNetworks({ SKEIN_RUNNER_NETWORKS }: RunnerConfig): readonly NetworkPolicy[] {
  const named = SKEIN_RUNNER_NETWORKS.split(',')
  return networkPolicies.filter((policy) => named.includes(policy))
}

function isLevel(text: string): text is SandboxLevel {
  return text === 'process' || text === 'bubblewrap'
}

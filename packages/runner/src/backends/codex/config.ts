import type { ProgramSetup } from '../backend.ts'
import { AUTHORITIES_VARIABLE, trustsNobody } from './authorities.ts'
import { GATEWAY_VARIABLE, TOKEN_VARIABLES, toolsVariable } from './environment.ts'

/** We decide about retries. By default, Codex retries thirty times. */
const RETRIES = { requests: 1, streams: 2 } as const
/** Our tools may wait for something, but respond well before this. */
const TOOL_TIMEOUT_SEC = 600

/** Features that access the network, run what they find, or wait for a person. */
const SWITCHED_OFF = [
  'apps',
  'auth_elicitation',
  'browser_use',
  'computer_use',
  'daemon_auto_start',
  'goals',
  'guardian_approval',
  'hooks',
  'image_generation',
  'memories',
  'multi_agent',
  'plugins',
  'remote_plugin',
  'shell_snapshot',
  'skill_mcp_dependency_install',
  'skill_search',
  'tool_suggest',
  // With unlimited attempts, an unavailable gateway would look like a thinking model.
  'unbounded_connection_retries',
] as const

/**
 * Contains no secrets, only the names of the variables that do. Codex makes six databases whenever it starts in a new
 * home, and waits for the disk many times. None outlives the program, so they can be in memory.
 */
export function makeConfig(setup: ProgramSetup, memoryDir?: string): string {
  const { gateway, tools, workDir } = setup
  return toToml([
    {
      path: [],
      values: {
        model_provider: 'skein',
        ...(memoryDir !== undefined && { sqlite_home: `${memoryDir}/codex` }),
        check_for_update_on_startup: false,
        project_doc_max_bytes: 0,
        web_search: 'disabled',
        // They tell the model to ask for approval, which is always granted here.
        include_permissions_instructions: false,
        // A login shell would read the system's profile, which sets its own PATH.
        allow_login_shell: false,
      },
    },
    // The agent's own subagents would continue after an interrupt, and their transcripts are not kept. The feature
    // "multi_agent" doesn't disable them for newer models.
    { path: ['agents'], values: { enabled: false } },
    { path: ['analytics'], values: { enabled: false } },
    { path: ['history'], values: { persistence: 'none' } },
    { path: ['skills'], values: { include_instructions: false } },
    { path: ['skills', 'bundled'], values: { enabled: false } },
    { path: ['features'], values: Object.fromEntries(SWITCHED_OFF.map((name) => [name, false])) },
    {
      path: ['shell_environment_policy'],
      values: {
        inherit: 'all',
        // By default everything with KEY or TOKEN in its name is withheld, including what the agent should have.
        ignore_default_excludes: true,
        // Its commands trust the system's authorities.
        exclude: [...TOKEN_VARIABLES, ...(trustsNobody(setup) ? [AUTHORITIES_VARIABLE] : [])],
      },
    },
    {
      path: ['model_providers', 'skein'],
      values: {
        name: 'skein',
        base_url: gateway.url,
        env_key: GATEWAY_VARIABLE,
        wire_api: 'responses',
        // Request retries are silent. Stream retries are reported, but don't cover every 503.
        request_max_retries: RETRIES.requests,
        stream_max_retries: RETRIES.streams,
        stream_idle_timeout_ms: 300_000,
      },
    },
    ...tools.map(({ name, url }, index) => ({
      path: ['mcp_servers', name],
      values: {
        url,
        bearer_token_env_var: toolsVariable(index),
        // Otherwise each call needs approval, and the tools are hidden behind a search.
        default_tools_approval_mode: 'approve',
        omit_tools_from: ['deferred'],
        // Otherwise a run would silently continue without its tools.
        required: true,
        startup_timeout_sec: 20,
        tool_timeout_sec: TOOL_TIMEOUT_SEC,
      },
    })),
    // Codex trusts a directory it may write to, and then runs what its .codex contains.
    { path: ['projects', workDir], values: { trust_level: 'untrusted' } },
  ])
}

type TomlValue = string | number | boolean | readonly string[]

interface TomlTable {
  readonly path: readonly string[]
  readonly values: Readonly<Record<string, TomlValue>>
}

function toToml(tables: readonly TomlTable[]): string {
  const lines = tables.flatMap(({ path, values }) => [
    ...(path.length > 0 ? [`[${path.map(quote).join('.')}]`] : []),
    ...Object.entries(values).map(([key, value]) => `${quote(key)} = ${toValue(value)}`),
  ])
  return `${lines.join('\n')}\n`
}

function toValue(value: TomlValue): string {
  if (typeof value === 'string') return quote(value)
  return typeof value === 'object' ? `[${value.map(quote).join(', ')}]` : String(value)
}

/** JSON strings are valid TOML, except for this character. */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', String.raw`\u007f`)
}

import type { ProgramSetup } from '../backend.ts'
import { GATEWAY_VARIABLE, TOKEN_VARIABLES, toolsVariable } from './environment.ts'

/** We own the retry policy; by its own, Codex asks thirty times. */
const RETRIES = { requests: 1, streams: 2 } as const
/** A tool of ours may wait for something, but answers well before this. */
const TOOL_TIMEOUT_SEC = 600

/** Parts that reach out to the network, run what they find, or wait for a person. */
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
  // Without an end to its attempts a gateway that is gone would look like a model that thinks.
  'unbounded_connection_retries',
] as const

/** Secrets are not in it, only the names of the variables that hold them. */
export function makeConfig({ gateway, tools, workDir }: ProgramSetup): string {
  return toToml([
    {
      path: [],
      values: {
        model_provider: 'skein',
        check_for_update_on_startup: false,
        project_doc_max_bytes: 0,
        web_search: 'disabled',
        // They tell the model to ask for approval, which it has here in every case.
        include_permissions_instructions: false,
        // A login shell would read the system's profile, which sets a PATH of its own.
        allow_login_shell: false,
      },
    },
    // Agents of the agent's own would go on when it is interrupted, and their transcripts are not kept. The feature
    // "multi_agent" does not switch them off for the newer models.
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
        // By default everything with KEY or TOKEN in its name is kept back, also what the agent is meant to have.
        ignore_default_excludes: true,
        exclude: TOKEN_VARIABLES,
      },
    },
    {
      path: ['model_providers', 'skein'],
      values: {
        name: 'skein',
        base_url: gateway.url,
        env_key: GATEWAY_VARIABLE,
        wire_api: 'responses',
        // Those of requests are silent. Those of streams are told, but do not help with every 503.
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
        // Otherwise each call needs an approval, and the tools hide behind a search.
        default_tools_approval_mode: 'approve',
        omit_tools_from: ['deferred'],
        // Otherwise a run goes on silently without its tools.
        required: true,
        startup_timeout_sec: 20,
        tool_timeout_sec: TOOL_TIMEOUT_SEC,
      },
    })),
    // Codex trusts a directory by itself when it may write to it, and then runs what its .codex says.
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

/** JSON's strings are TOML's, except for this one character. */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', String.raw`\u007f`)
}

import type { RepoAddress } from './repo-address.ts'

export type GitConfig = readonly (readonly [key: string, value: string])[]

/** Variables for network access. Git gets nothing else from the host's environment. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])
const PASSED_ON = [
  'PATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
  ...PROXIES,
  'NO_PROXY',
  'no_proxy',
]

/** For every call: no configuration, hooks, helpers or prompts except ours. */
const ALWAYS: GitConfig = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['credential.helper', ''],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  // Otherwise git would follow the upstream anywhere, and send the credential along.
  ['http.followRedirects', 'false'],
  // Agents and upstreams choose the content, which must not determine git's memory use.
  ['core.bigFileThreshold', '16m'],
  ['core.deltaBaseCacheLimit', '32m'],
  ['core.packedGitWindowSize', '32m'],
  ['core.packedGitLimit', '256m'],
  ['pack.threads', '1'],
  ['pack.windowMemory', '64m'],
  ['pack.deltaCacheSize', '32m'],
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '60'],
]

/** The environment of a git process outside the sandbox. Later entries of `config` win. */
export function gitEnvironment(
  hostEnv: Readonly<NodeJS.ProcessEnv>,
  config: GitConfig = [],
): Record<string, string> {
  const env: Record<string, string> = {
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_ALLOW_PROTOCOL: 'http:https',
    GIT_NO_REPLACE_OBJECTS: '1',
  }
  for (const name of PASSED_ON) {
    const value = hostEnv[name]
    if (value !== undefined) env[name] = value
  }
  const pairs = [...ALWAYS, ...config]
  env['GIT_CONFIG_COUNT'] = String(pairs.length)
  for (const [index, [key, value]] of pairs.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return env
}

/** The environment of a git process that contacts an upstream, restricted to the addresses in `pins`. */
export function upstreamEnvironment(
  hostEnv: Readonly<NodeJS.ProcessEnv>,
  { credential, isLocal }: RepoAddress,
  pins: GitConfig,
): Record<string, string> {
  const env = gitEnvironment(hostEnv, [...pins, ...(credential === '' ? [] : credentialConfig(credential))])
  return isLocal ? { ...env, GIT_ALLOW_PROTOCOL: 'file' } : env
}

export function hasProxy(hostEnv: Readonly<NodeJS.ProcessEnv>): boolean {
  return PROXIES.some((name) => Boolean(hostEnv[name]))
}

function credentialConfig(credential: string): GitConfig {
  // Hosts accept tokens as the password of this user name.
  const pair = credential.includes(':') ? credential : `x-access-token:${credential}`
  return [['http.extraHeader', `Authorization: Basic ${Buffer.from(pair).toString('base64')}`]]
}

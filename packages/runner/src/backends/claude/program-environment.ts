import { join } from 'node:path'
import type { ProgramSetup } from '../backend.ts'

/** The program's configuration and transcripts, below the state directory. */
export const CONFIG_DIR = 'claude'

/** These variables could redirect the program to another provider or configuration. */
const OWN_VARIABLES = /^(?:ANTHROPIC_|CLAUDE)/
/** The program's own retries. By default it retries a rejected token for three minutes. */
const MAX_RETRIES = 2

/** The program's whole environment, which the agent's shell inherits. */
export function buildEnvironment(setup: ProgramSetup): Record<string, string> {
  const { gateway, stateDir, tools, variables } = setup
  return {
    LANG: 'C.UTF-8',
    ...Object.fromEntries(Object.entries(variables).filter(([name]) => !OWN_VARIABLES.test(name))),
    ...bypassProxies(variables),
    ...Object.fromEntries(tools.map(({ token }, index) => [toolTokenVariable(index), token])),
    HOME: join(stateDir, 'home'),
    CLAUDE_CONFIG_DIR: join(stateDir, CONFIG_DIR),
    // It leaves sockets and folders there.
    CLAUDE_CODE_TMPDIR: join(stateDir, 'tmp'),
    ANTHROPIC_BASE_URL: gateway.url,
    ANTHROPIC_API_KEY: gateway.token,
    CLAUDE_CODE_MAX_RETRIES: String(MAX_RETRIES),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Its memory would be left behind on this host.
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    // A background command that ends would start a turn nobody asked for.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_STARTUP_FAILURE_RESULTS: '1',
    CLAUDE_AGENT_SDK_CLIENT_APP: 'skein-runner',
  }
}

/** Lists the variables withheld from the program because they would affect the program itself. */
export function describeWithheld({ variables }: ProgramSetup): readonly string[] {
  const names = Object.keys(variables).filter((name) => OWN_VARIABLES.test(name))
  return names.length === 0 ? [] : [`These variables are reserved for Claude: ${names.join(', ')}`]
}

/** Referenced by the tool server's configuration, because every user of the host can read a command line. */
export function toolTokenVariable(index: number): string {
  return `SKEIN_TOOLS_TOKEN_${index}`
}

/** The gateway and the tools are on loopback, whatever proxy the agent's own commands need. */
function bypassProxies(variables: Readonly<Record<string, string>>): Record<string, string> {
  const given = [variables['NO_PROXY'], variables['no_proxy']].filter(Boolean)
  const hosts = [...given, '127.0.0.1', 'localhost'].join(',')
  return { NO_PROXY: hosts, no_proxy: hosts }
}

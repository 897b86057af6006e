import { join } from 'node:path'
import type { ProgramSetup } from '../backend.ts'

/** Below the state directory: the program's configuration, and its transcripts. */
export const CONFIG_DIR = 'claude'

/** With these a variable of ours could send the program to another provider, or to another configuration. */
const OWN_VARIABLES = /^(?:ANTHROPIC_|CLAUDE)/
/** How often the program asks again on its own. By default it repeats a refused token for three minutes. */
const MAX_RETRIES = 2

/** The whole environment of the program, which the agent's shell inherits. */
export function buildEnvironment(setup: ProgramSetup): Record<string, string> {
  const { gateway, stateDir, tools, variables } = setup
  return {
    LANG: 'C.UTF-8',
    ...Object.fromEntries(Object.entries(variables).filter(([name]) => !OWN_VARIABLES.test(name))),
    ...bypassProxies(variables),
    ...Object.fromEntries(tools.map(({ token }, index) => [toolTokenVariable(index), token])),
    HOME: join(stateDir, 'home'),
    CLAUDE_CONFIG_DIR: join(stateDir, CONFIG_DIR),
    // It leaves sockets and folders behind there.
    CLAUDE_CODE_TMPDIR: join(stateDir, 'tmp'),
    ANTHROPIC_BASE_URL: gateway.url,
    ANTHROPIC_API_KEY: gateway.token,
    CLAUDE_CODE_MAX_RETRIES: String(MAX_RETRIES),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Its memory would stay behind on this host.
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    // A command that ends in the background would begin a turn that nobody asked for.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_STARTUP_FAILURE_RESULTS: '1',
    CLAUDE_AGENT_SDK_CLIENT_APP: 'skein-runner',
  }
}

/** Says which variables are kept from the program, because they would steer the program itself. */
export function describeWithheld({ variables }: ProgramSetup): readonly string[] {
  const names = Object.keys(variables).filter((name) => OWN_VARIABLES.test(name))
  return names.length === 0 ? [] : [`Claude keeps these variables to itself: ${names.join(', ')}`]
}

/** The configuration of a tool server refers to it: a command line can be read by every user of the host. */
export function toolTokenVariable(index: number): string {
  return `SKEIN_TOOLS_TOKEN_${index}`
}

/** The gateway and the tools are on the loopback, whatever proxy the agent's own commands need. */
function bypassProxies(variables: Readonly<Record<string, string>>): Record<string, string> {
  const given = [variables['NO_PROXY'], variables['no_proxy']].filter(Boolean)
  const hosts = [...given, '127.0.0.1', 'localhost'].join(',')
  return { NO_PROXY: hosts, no_proxy: hosts }
}

import type { ProgramSetup } from '../backend.ts'

export const GATEWAY_VARIABLE = 'SKEIN_GATEWAY_TOKEN'
const TOOLS_VARIABLE = 'SKEIN_TOOLS_TOKEN'

/** Patterns of variables the agent's commands don't inherit. */
export const TOKEN_VARIABLES: readonly string[] = [GATEWAY_VARIABLE, `${TOOLS_VARIABLE}_*`]

export function toolsVariable(index: number): string {
  return `${TOOLS_VARIABLE}_${index}`
}

/** Ours come last, so that the agent's variables cannot replace them. */
export function makeEnvironment(setup: ProgramSetup, home: string): Record<string, string> {
  const { gateway, tools, variables } = setup
  const direct = listDirectHosts(setup)
  return {
    LANG: 'C.UTF-8',
    ...variables,
    NO_PROXY: [variables['NO_PROXY'], direct].filter(Boolean).join(','),
    no_proxy: [variables['no_proxy'], direct].filter(Boolean).join(','),
    CODEX_HOME: home,
    [GATEWAY_VARIABLE]: gateway.token,
    ...Object.fromEntries(tools.map(({ token }, index) => [toolsVariable(index), token])),
  }
}

/** A proxy is for the agent's own traffic and must not see our tokens. */
function listDirectHosts({ gateway, tools }: ProgramSetup): string {
  const hosts = [gateway, ...tools].map(({ url }) => new URL(url).hostname)
  return [...new Set(hosts)].join(',')
}

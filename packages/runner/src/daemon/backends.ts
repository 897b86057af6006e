import { acpBackend } from '../backends/acp/acp-backend.ts'
import type { Backend, ProgramSetup } from '../backends/backend.ts'
import { claudeBackend } from '../backends/claude/claude-backend.ts'
import { codexBackend } from '../backends/codex/codex-backend.ts'
import type { RunnerConfig } from '../config.ts'
import { anthropicBaseUrl, gatewayUrl, openaiBaseUrl } from '../gateway/base-urls.ts'
import type { OfferedBackend, RunnerEvent } from '../run/parts.ts'
import type { FrontAddress } from '../sandbox/sandbox.ts'

interface Candidate extends OfferedBackend {
  /** What has to be set before its model can be called; empty when nothing has to. */
  readonly missingSetting: string
}

/** The backends whose program is here and whose provider has a key. */
export async function offerBackends(
  config: RunnerConfig,
  front: FrontAddress,
  onEvent: (event: RunnerEvent) => void,
): Promise<ReadonlyMap<string, OfferedBackend>> {
  const offered = new Map<string, OfferedBackend>()
  for (const { missingSetting, ...candidate } of candidatesOf(config, gatewayUrl(front))) {
    const { backend } = candidate
    const probe = missingSetting === '' ? await backend.probe() : isNotSet(missingSetting)
    if (probe.isUsable) offered.set(backend.name, candidate)
    else onEvent({ type: 'missing', what: `the backend ${backend.name}`, reason: probe.reason })
  }
  return offered
}

function candidatesOf(config: RunnerConfig, gateway: string): Candidate[] {
  return [
    {
      backend: claudeBackend(),
      gatewayUrl: anthropicBaseUrl(gateway),
      provider: 'anthropic',
      missingSetting: config.ANTHROPIC_API_KEY === '' ? 'ANTHROPIC_API_KEY' : '',
    },
    {
      backend: codexBackend(),
      gatewayUrl: openaiBaseUrl(gateway),
      provider: 'openai',
      missingSetting: config.OPENAI_API_KEY === '' ? 'OPENAI_API_KEY' : '',
    },
    ...config.SKEIN_RUNNER_ACP.split(';')
      .filter((entry) => entry !== '')
      .map((entry) => ({ backend: readAcpBackend(entry), gatewayUrl: gateway, missingSetting: '' })),
  ]
}

/** `name=/path/to/program arguments`. The agent finds either provider behind our gateway, by the usual variables. */
function readAcpBackend(entry: string): Backend {
  const [name = '', line = ''] = entry.split(/=(.*)/s)
  const [command = '', ...args] = line.trim().split(/\s+/)
  return acpBackend({ name, command, args, programPaths: [command], environment: gatewayVariables })
}

function gatewayVariables({ gateway: { url, token }, model }: ProgramSetup): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: anthropicBaseUrl(url),
    ANTHROPIC_API_KEY: token,
    ANTHROPIC_MODEL: model,
    OPENAI_BASE_URL: openaiBaseUrl(url),
    OPENAI_API_KEY: token,
    OPENAI_MODEL: model,
  }
}

function isNotSet(setting: string) {
  return { isUsable: false, reason: `${setting} is not set.` } as const
}

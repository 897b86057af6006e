import type { ProviderTool } from '@skein/contract'
import { matchesModel } from '@skein/contract/facts'
import { isRecord, parseJson } from '../../json.ts'
import { estimatePromptTokens } from '../prices.ts'
import type { ProviderName } from '../provider.ts'
import { messagesRequest } from './anthropic-rules.ts'
import { isParsable } from './json-size.ts'
import { responsesRequest } from './openai-rules.ts'
import type { ModelPolicy } from './policy.ts'
import type { Rule } from './rules.ts'

export interface CheckJob {
  readonly provider: ProviderName
  readonly body: Uint8Array<ArrayBuffer>
  readonly policy: ModelPolicy
}

export type CheckedRequest =
  | {
      readonly isAllowed: true
      /** What to send: exactly what was checked, however the program wrote it. */
      readonly body: Uint8Array<ArrayBuffer>
      readonly model: string
      readonly promptTokens: number
      readonly providerTools: readonly ProviderTool[]
    }
  | { readonly isAllowed: false; readonly message: string }

interface RequestFormat {
  readonly rule: Rule
  /** Fields the program sends by itself and nobody needs. */
  readonly ignored: readonly string[]
  readonly defaults: Readonly<Record<string, unknown>>
}

const FORMATS: Readonly<Record<ProviderName, RequestFormat>> = {
  anthropic: { rule: messagesRequest, ignored: [], defaults: {} },
  // Codex puts information about the workspace there, including the repository's URL with its token.
  openai: { rule: responsesRequest, ignored: ['client_metadata'], defaults: { store: false } },
}

/** Whether a request asks only for what its agent may have. */
export function checkRequest({ provider, body, policy }: CheckJob): CheckedRequest {
  if (!isParsable(body)) return refuse('The request has too many parts.')
  const given = parseJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString())
  if (!isRecord(given)) return refuse('The request is not a JSON object.')
  const { rule, ignored, defaults } = FORMATS[provider]
  const kept = Object.fromEntries(Object.entries(given).filter(([name]) => !ignored.includes(name)))
  const { model } = kept
  if (typeof model !== 'string' || model === '') return refuse('The request names no model.')
  if (!policy.models.some((pattern) => matchesModel(pattern, model))) {
    return refuse(`This agent may not use the model ${model.slice(0, 255)}.`)
  }
  const uses = new Set<ProviderTool>()
  const problem = rule(kept, { policy, uses })
  if (problem) return refuse(`${problem.at.replace(/^\./, '')} ${problem.message}.`)
  const checked = new TextEncoder().encode(JSON.stringify({ ...defaults, ...kept }))
  return {
    isAllowed: true,
    body: checked,
    model,
    promptTokens: estimatePromptTokens(checked),
    providerTools: [...uses],
  }
}

function refuse(message: string): CheckedRequest {
  return { isAllowed: false, message }
}

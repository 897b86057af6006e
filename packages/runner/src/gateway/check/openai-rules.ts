import {
  anything,
  flat,
  list,
  needs,
  object,
  oneOf,
  scalar,
  tagged,
  text,
  textOr,
  type Rule,
} from './rules.ts'

/** A picture within the request. The provider would fetch any other. */
const imageUrl: Rule = (value, checking) =>
  typeof value === 'string' && /^data:/i.test(value) ? undefined : needs('url-files', text)(value, checking)

const plainText = object({ type: scalar, text, annotations: anything, logprobs: anything })

const part = tagged('content', {
  input_text: plainText,
  output_text: plainText,
  summary_text: plainText,
  reasoning_text: plainText,
  text: plainText,
  refusal: object({ type: scalar, refusal: text }),
  input_image: object({ type: scalar, image_url: imageUrl, detail: scalar }),
  input_file: object({
    type: scalar,
    file_data: text,
    filename: text,
    file_url: needs('url-files', text),
    detail: scalar,
  }),
})

const parts = textOr(list(part))

const tool: Rule = tagged('tool', {
  function: object({
    type: scalar,
    name: text,
    description: text,
    parameters: anything,
    output_schema: anything,
    strict: scalar,
    defer_loading: scalar,
  }),
  custom: object({ type: scalar, name: text, description: text, format: flat, defer_loading: scalar }),
  namespace: object({
    type: scalar,
    name: text,
    description: text,
    tools: list((value, checking) => tool(value, checking)),
  }),
  local_shell: object({ type: scalar }),
  apply_patch: object({ type: scalar }),
  tool_search: object({ type: scalar, execution: oneOf('client'), description: text, parameters: anything }),
  ...Object.fromEntries(
    ['web_search', 'web_search_preview'].map((type) => [
      type,
      needs(
        'web-search',
        object({
          type: scalar,
          filters: object({ allowed_domains: list(text) }),
          user_location: flat,
          search_context_size: scalar,
          search_content_types: list(text),
          external_web_access: scalar,
        }),
      ),
    ]),
  ),
  mcp: needs(
    'remote-mcp',
    object({
      type: scalar,
      server_label: text,
      server_url: text,
      server_description: text,
      authorization: text,
      headers: flat,
      allowed_tools: anything,
      require_approval: anything,
    }),
  ),
})

const item = { type: scalar, id: scalar, status: scalar }
const call = { ...item, call_id: scalar, name: scalar, namespace: scalar }

const inputItem = tagged(
  'input',
  {
    message: object({ ...item, role: text, phase: scalar, content: parts }),
    additional_tools: object({ ...item, role: text, tools: list(tool) }),
    function_call: object({ ...call, arguments: text }),
    function_call_output: object({ ...call, output: parts }),
    custom_tool_call: object({ ...call, input: text }),
    custom_tool_call_output: object({ ...call, output: parts }),
    local_shell_call: object({ ...call, action: anything }),
    local_shell_call_output: object({ ...call, output: text }),
    tool_search_call: object({ ...call, execution: scalar, arguments: anything }),
    tool_search_output: object({ ...call, execution: scalar, tools: list(tool) }),
    reasoning: object({ ...item, summary: list(part), content: list(part), encrypted_content: scalar }),
    compaction: object({ ...item, encrypted_content: scalar }),
    // Earlier search results remain part of the conversation.
    web_search_call: object({ ...item, action: anything }),
    mcp_list_tools: needs(
      'remote-mcp',
      object({ ...item, server_label: text, tools: anything, error: scalar }),
    ),
    mcp_call: needs(
      'remote-mcp',
      object({ ...item, server_label: text, name: text, arguments: text, output: scalar, error: scalar }),
    ),
  },
  'message',
)

/** Other tiers have other prices. */
const serviceTier: Rule = (value, checking) =>
  oneOf(
    'auto',
    'default',
    ...(checking.policy.serviceTier === '' ? [] : [checking.policy.serviceTier]),
  )(value, checking)

/**
 * A request of the Responses API. Nothing may be stored at the provider, and nothing stored there may be used: all
 * agents share one account, so one could read what another stored.
 */
export const responsesRequest = object({
  model: text,
  input: textOr(list(inputItem)),
  instructions: text,
  tools: list(tool),
  tool_choice: textOr(object({ type: scalar, name: scalar, mode: scalar, tools: list(flat) })),
  parallel_tool_calls: scalar,
  max_tool_calls: scalar,
  max_output_tokens: scalar,
  reasoning: flat,
  text: object({
    verbosity: scalar,
    format: object({ type: scalar, name: scalar, description: scalar, schema: anything, strict: scalar }),
  }),
  include: list(oneOf('reasoning.encrypted_content', 'message.output_text.logprobs')),
  store: oneOf(false),
  background: oneOf(false),
  stream: scalar,
  stream_options: flat,
  service_tier: serviceTier,
  prompt_cache_key: scalar,
  prompt_cache_retention: scalar,
  temperature: scalar,
  top_p: scalar,
  top_logprobs: scalar,
  truncation: scalar,
  metadata: flat,
  user: scalar,
  safety_identifier: scalar,
})

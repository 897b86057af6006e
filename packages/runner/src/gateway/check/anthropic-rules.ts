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

/** Cache entries of one hour cost more to write than the catalog's price. */
const cacheControl = object({ type: scalar, ttl: oneOf('5m') })
const block = { type: scalar, cache_control: cacheControl }

const textBlock = object({ ...block, text, citations: anything })

const source: Rule = tagged('source', {
  base64: object({ type: scalar, media_type: scalar, data: text }),
  text: object({ type: scalar, media_type: scalar, data: text }),
  content: object({
    type: scalar,
    content: textOr(
      list((value, checking) => tagged('content', { text: textBlock, image })(value, checking)),
    ),
  }),
  url: needs('url-files', object({ type: scalar, url: text })),
})
const image = object({ ...block, source })
const document = object({ ...block, source, title: scalar, context: scalar, citations: anything })

const searchResult = object({
  ...block,
  source: text,
  title: text,
  content: list(textBlock),
  citations: anything,
})

const clientTool = object({
  ...block,
  name: text,
  description: text,
  input_schema: anything,
  input_examples: anything,
  strict: scalar,
  defer_loading: scalar,
  eager_input_streaming: scalar,
})
const builtInClientTool = object({ ...block, name: text, max_characters: scalar })

const domains = { allowed_domains: list(text), blocked_domains: list(text) }
const web = { ...block, name: text, max_uses: scalar, ...domains, defer_loading: scalar }

const tool = tagged(
  'tool',
  {
    custom: clientTool,
    bash: builtInClientTool,
    text_editor: builtInClientTool,
    memory: builtInClientTool,
    web_search: needs('web-search', object({ ...web, user_location: flat, search_profile: scalar })),
    web_fetch: needs('web-fetch', object({ ...web, citations: flat, max_content_tokens: scalar })),
    mcp_toolset: needs(
      'remote-mcp',
      object({ ...block, mcp_server_name: text, default_config: flat, configs: anything }),
    ),
  },
  'custom',
)

const toolChange = object({
  ...block,
  tool: tagged('tool change', {
    tool_reference: flat,
    tool_definition: object({ type: scalar, definition: tool }),
  }),
})

const toolUse = object({ ...block, id: text, name: text, input: anything, caller: flat })

/** Tool results, including those of provider tools, which a conversation continues with. */
const results = {
  tool_result: object({
    ...block,
    tool_use_id: text,
    is_error: scalar,
    content: textOr(
      list(
        tagged('content', {
          text: textBlock,
          image,
          document,
          search_result: searchResult,
          tool_reference: object({ ...block, tool_name: text }),
        }),
      ),
    ),
  }),
  web_search_tool_result: object({
    ...block,
    tool_use_id: text,
    caller: flat,
    content: (value, checking) => (Array.isArray(value) ? list(flat) : flat)(value, checking),
  }),
  web_fetch_tool_result: object({
    ...block,
    tool_use_id: text,
    caller: flat,
    content: tagged('content', {
      web_fetch_result: object({ type: scalar, url: text, retrieved_at: scalar, content: document }),
      web_fetch_tool_result_error: flat,
    }),
  }),
}

const content = tagged('content', {
  text: textBlock,
  image,
  document,
  search_result: searchResult,
  tool_use: toolUse,
  server_tool_use: toolUse,
  thinking: flat,
  redacted_thinking: flat,
  compaction: object({ ...block, content: scalar }),
  tool_addition: toolChange,
  tool_removal: toolChange,
  fallback: object({ type: scalar, from: flat, to: flat }),
  mcp_tool_use: needs(
    'remote-mcp',
    object({ ...block, id: text, name: text, server_name: text, input: anything }),
  ),
  mcp_tool_result: needs(
    'remote-mcp',
    object({ ...block, tool_use_id: text, is_error: scalar, content: textOr(list(textBlock)) }),
  ),
  ...results,
})

const outputFormat = object({ type: scalar, schema: anything })

/** Fast mode has its own price. */
const speed: Rule = (value, checking) =>
  oneOf('standard', ...(checking.policy.fastMode ? ['fast'] : []))(value, checking)

/** A request of the Messages API. */
export const messagesRequest = object({
  model: text,
  messages: list(object({ role: text, content: textOr(list(content)), effort: scalar, clear_at: scalar })),
  system: textOr(list(textBlock)),
  max_tokens: scalar,
  stream: scalar,
  stop_sequences: list(text),
  temperature: scalar,
  top_k: scalar,
  top_p: scalar,
  metadata: object({ user_id: scalar }),
  cache_control: cacheControl,
  tools: list(tool),
  tool_choice: flat,
  thinking: flat,
  output_config: object({ effort: scalar, format: outputFormat, task_budget: flat }),
  output_format: outputFormat,
  context_management: object({
    edits: list(tagged('edit', { clear_thinking: anything, clear_tool_uses: anything, compact: anything })),
  }),
  service_tier: oneOf('auto', 'standard_only'),
  speed,
  mcp_servers: needs(
    'remote-mcp',
    list(
      object({
        type: oneOf('url'),
        url: text,
        name: text,
        authorization_token: scalar,
        tool_configuration: anything,
      }),
    ),
  ),
})

/** A way to pay for a model, and whether Skein supports it. Printed by the providers page and `skein doctor`. */
export interface ModelProvider {
  readonly name: string
  /** The backends it works with; empty if none. */
  readonly backends: string
  /** What to set, or why it doesn't work and what to do instead. */
  readonly how: string
}

const COMPATIBLE = 'Use a proxy that speaks the API of Anthropic or OpenAI, and set it as the base URL.'

export const MODEL_PROVIDERS: readonly ModelProvider[] = [
  {
    name: 'Anthropic API key',
    backends: 'a (Claude)',
    how: 'Set ANTHROPIC_API_KEY on the runner, or name a secret as the credential of the backend a.',
  },
  {
    name: 'OpenAI API key',
    backends: 'b (Codex)',
    how: 'Set OPENAI_API_KEY on the runner, or name a secret as the credential of the backend b.',
  },
  {
    name: 'Anthropic-compatible URL',
    backends: 'a (Claude)',
    how: 'Set ANTHROPIC_BASE_URL on the runner. It must offer /v1/messages, and takes the key as x-api-key.',
  },
  {
    name: 'OpenAI-compatible URL',
    backends: 'b (Codex)',
    how: 'Set OPENAI_BASE_URL on the runner. It must offer /v1/responses, and takes the key as a bearer token.',
  },
  {
    name: 'Azure OpenAI',
    backends: 'b (Codex)',
    how: 'As an OpenAI-compatible URL: set OPENAI_BASE_URL to https://<resource>.openai.azure.com/openai/v1 and OPENAI_API_KEY to a key of the resource. Model names are those of your deployments; add them to the backend. Tested with the simulator only.',
  },
  {
    name: 'Amazon Bedrock',
    backends: '',
    how: `Requests would have to be signed with AWS credentials, which the gateway cannot do. ${COMPATIBLE}`,
  },
  {
    name: 'Google Vertex AI',
    backends: '',
    how: `It needs short-lived Google credentials and different paths, which the gateway does not support. ${COMPATIBLE}`,
  },
  {
    name: 'Claude subscription (a logged-in claude, CLAUDE_CODE_OAUTH_TOKEN)',
    backends: '',
    how: 'Anthropic’s terms do not let other products use the login of a Claude plan. Use an API key.',
  },
  {
    name: 'ChatGPT subscription (a logged-in codex)',
    backends: '',
    how: 'The login is for one person, and Skein runs agents for many. Use an API key.',
  },
]

/** Where the gateway stands, for programs on this host and, by way of the bridge, in a sandbox. */
export function gatewayUrl(front: { readonly port: number }): string {
  return `http://127.0.0.1:${front.port}/model`
}

/** For `ANTHROPIC_BASE_URL`: the program appends `/v1/messages`. */
export function anthropicBaseUrl(gateway: string): string {
  return `${gateway}/anthropic`
}

/** For `base_url` of a model provider of Codex: the program appends `/responses`. */
export function openaiBaseUrl(gateway: string): string {
  return `${gateway}/openai/v1`
}

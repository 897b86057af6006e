/** The gateway's URL, both on this host and in a sandbox. */
export function gatewayUrl(front: { readonly port: number }): string {
  return `http://127.0.0.1:${front.port}/model`
}

/** For `ANTHROPIC_BASE_URL`: the program appends `/v1/messages`. */
export function anthropicBaseUrl(gateway: string): string {
  return `${gateway}/anthropic`
}

/** For a Codex model provider's `base_url`: the program appends `/responses`. */
export function openaiBaseUrl(gateway: string): string {
  return `${gateway}/openai/v1`
}

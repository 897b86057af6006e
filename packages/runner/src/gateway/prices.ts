import { cacheWriteOf, type ProviderTool } from '@skein/contract'
import type { Price, TokenCounts, ToolPrice, ToolUses } from './grant.ts'

/** A rule of thumb for what no provider has counted. */
export const CHARACTERS_PER_TOKEN = 4

const PAID_TOOLS: ReadonlySet<ProviderTool> = new Set(['web-search', 'web-fetch'])

const PER_TOKEN = 1 / 1_000_000

/** A picture is a few hundred tokens, whatever its size. */
const EMBEDDED_FILE = /(?:;base64,|"data": ?")[A-Za-z0-9+/=]{512,}/g

/** Cache reads and writes are part of the input, with their own prices. Without a price a call is free. */
export function costUsd(counts: TokenCounts, price: Price | undefined): number {
  if (!price) return 0
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = counts
  const total =
    (inputTokens - cachedInputTokens - cacheWriteTokens) * price.input +
    cachedInputTokens * price.cachedInput +
    cacheWriteTokens * cacheWriteOf(price) +
    outputTokens * price.output
  return total * PER_TOKEN
}

/** Minimum cost of a call: most of its input may be cached, and its output is unknown. */
export function leastCostUsd(promptTokens: number, price: Price | undefined): number {
  return price ? promptTokens * Math.min(price.cachedInput, price.input) * PER_TOKEN : 0
}

export function toolCostUsd(uses: ToolUses, prices: readonly ToolPrice[]): number {
  return prices.reduce((sum, { tool, perUse }) => sum + (uses[tool] ?? 0) * perUse, 0)
}

/** Calling MCP servers and fetching files costs only tokens. */
export function hasPrice(tool: ProviderTool, prices: readonly ToolPrice[]): boolean {
  return !PAID_TOOLS.has(tool) || prices.some((price) => price.tool === tool)
}

export function estimatePromptTokens(body: Uint8Array<ArrayBuffer>): number {
  // In this encoding one byte is one character, so nothing needs decoding.
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
  const embedded = text.match(EMBEDDED_FILE)?.reduce((sum, file) => sum + file.length, 0) ?? 0
  return Math.ceil((text.length - embedded) / CHARACTERS_PER_TOKEN)
}

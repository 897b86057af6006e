/** MCP tools are named mcp__server__tool. */
export function toolName(tool: string): string {
  return tool.replace(/^mcp__(.+?)__/, '$1 ')
}

/** One line: a command as it was run, or the file; otherwise the values, which say more than the field names. */
export function summarizeInput(input: string): string {
  const fields = parseFields(input)
  if (fields === undefined) return oneLine(input)
  const { command, file_path: path } = fields
  if (typeof command === 'string') return oneLine(command)
  if (typeof path === 'string') return oneLine(path)
  return oneLine(
    Object.values(fields)
      .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
      .join(' '),
  )
}

/** Indents JSON. Other text is unchanged. */
export function prettify(text: string): string {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? JSON.stringify(value, undefined, 2) : text
}

/** `Bash ×3, Read`, in order of first use. */
export function summarizeTools(tools: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const tool of tools.map(toolName)) counts.set(tool, (counts.get(tool) ?? 0) + 1)
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(', ')
}

const LINE = 240

function oneLine(text: string): string {
  return text.slice(0, LINE).replaceAll(/\s+/g, ' ').trim()
}

function parseFields(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Truncated by the runner, or not JSON at all.
    return undefined
  }
}

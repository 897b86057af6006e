/** JSON values as YAML, for the reference's examples. Text YAML could misread is quoted. */
export function toYaml(value: unknown, indent = ''): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return value.map((item) => `\n${indent}- ${toYaml(item, `${indent}  `).trimStart()}`).join('')
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    if (entries.length === 0) return '{}'
    return entries.map(([key, field]) => `\n${indent}${key}:${afterKey(field, indent)}`).join('')
  }
  return typeof value === 'string' && PLAIN.test(value) && !RESERVED.test(value)
    ? value
    : JSON.stringify(value)
}

const PLAIN = /^[A-Za-z][A-Za-z0-9 ._/-]*(?::\/\/[A-Za-z0-9._/-]+)?$/
const RESERVED = /^(true|false|yes|no|on|off|null)$/i

function afterKey(value: unknown, indent: string): string {
  const text = toYaml(value, `${indent}  `)
  return text.startsWith('\n') ? text : ` ${text}`
}

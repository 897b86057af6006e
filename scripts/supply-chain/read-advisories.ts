/** The result of `npm audit --json`. */
export type Advisories =
  | { readonly type: 'not-asked'; readonly why: string }
  | { readonly type: 'asked'; readonly severe: readonly string[] }

interface AuditReport {
  readonly message?: string
  readonly error?: { readonly summary?: string; readonly code?: string }
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string }>>
}

const SEVERE = new Set(['high', 'critical'])

/** A registry that doesn't respond doesn't mean that everything is safe. */
export function readAdvisories(report: string): Advisories {
  const { vulnerabilities, message, error } = parse(report)
  if (!vulnerabilities) {
    return { type: 'not-asked', why: message ?? error?.summary ?? error?.code ?? 'npm audit gave no report' }
  }
  const severe = Object.entries(vulnerabilities).filter(([, { severity }]) => SEVERE.has(severity))
  return { type: 'asked', severe: severe.map(([name, { severity }]) => `${name} (${severity})`) }
}

function parse(report: string): AuditReport {
  try {
    return JSON.parse(report) as AuditReport
  } catch {
    return {}
  }
}

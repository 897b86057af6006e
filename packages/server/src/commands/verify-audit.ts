import { providerName } from '@skein/contract/facts'
import { verifyAudit as verify } from '@skein/engine'
import type { Config } from '../config.ts'
import { asOwner } from './as-owner.ts'

/** Fails if a log does not match its seals: see "Check that the audit is complete" in docs/operations.md. */
export async function verifyAudit(config: Config, print: (line: string) => void): Promise<void> {
  await asOwner(config, async (engine) => {
    let tenants = 0
    let broken = 0
    for await (const log of verify(engine, config.SKEIN_AUDIT_RETENTION_DAYS)) {
      tenants += 1
      if (log.problems.length > 0) broken += 1
      const lines = [...log.problems, ...log.notes.map((note) => `Note: ${note}`)]
      if (lines.length > 0) print(`${providerName(log.provider)}:${log.org}`)
      for (const line of lines) print(`  ${line}`)
    }
    print(`Audit logs checked: ${tenants}. Changed since they were sealed: ${broken}.`)
    if (broken > 0) process.exitCode = 1
  })
}

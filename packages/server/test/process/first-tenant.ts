import { runCommand } from './skein-process.ts'

/** A tenant of this name with an admin's key. */
export async function bootstrapTenant(
  ownerUrl: string,
  org = 'acme',
): Promise<{ tenantId: string; key: string }> {
  const { code, stdout, stderr } = await runCommand(
    ['bootstrap', '--org', org, '--account', 'ada', '--json'],
    { SKEIN_OWNER_DATABASE_URL: ownerUrl },
  )
  if (code !== 0) throw new Error(`bootstrap failed: ${stderr}`)
  return JSON.parse(stdout) as { tenantId: string; key: string }
}

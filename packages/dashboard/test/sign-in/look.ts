import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findBarriers } from '../dashboard-world.ts'

/** Expects an accessible page, and takes a picture of it to look at. */
export async function look(page: Page, name: string): Promise<void> {
  expect(await findBarriers(page)).toEqual([])
  const pictures = join(tmpdir(), 'skein-pictures')
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}

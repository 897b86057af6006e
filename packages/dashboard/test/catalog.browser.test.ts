import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeProfile, DashboardWorld, findBarriers } from './dashboard-world.ts'

let world: DashboardWorld

beforeAll(async () => {
  world = await DashboardWorld.start()
}, 300_000)

afterAll(() => world.stop())

/** Replaces the whole text of the editor, as if typed. */
async function write(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

const REFUSAL = { code: 7, message: 'Not today.', details: [] }

/** Makes the service reject some of the page's requests, with a response that is not retried. */
async function refuse(
  page: Page,
  pattern: string,
  matches: (request: Request) => boolean = () => true,
): Promise<void> {
  await page.route(pattern, (route) =>
    matches(route.request()) ? route.fulfill({ status: 403, json: REFUSAL }) : route.fallback(),
  )
}

async function save(page: Page, button: 'Save' | 'Create'): Promise<void> {
  await page.getByRole('button', { name: `Review and ${button.toLowerCase()}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click()
}

/** Whether a dialog's button works, before and after a reason is entered. */
async function giveReason(page: Page, open: string, confirm: string): Promise<boolean[]> {
  await page.getByRole('button', { name: open }).click()
  const dialog = page.getByRole('dialog')
  const button = dialog.getByRole('button', { name: confirm, exact: true })
  const before = await button.isEnabled()
  await dialog.getByRole('textbox', { name: /^Why/ }).fill('a leaked key')
  const after = await button.isEnabled()
  await page.keyboard.press('Escape')
  return [before, after]
}

function isLaterPage(request: Request): boolean {
  return (new URL(request.url()).searchParams.get('pageToken') ?? '') !== ''
}

describe('the catalog', () => {
  it('is browsed from kinds to a new document, which says what is wrong while it is typed', async () => {
    const page = await world.openSignedIn('/catalog')
    await page.getByRole('link', { name: /^persona/ }).click()
    await page.getByRole('button', { name: 'New persona' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('critic')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'critic', level: 1 }).waitFor()

    await write(page, '---\ndescription: Finds faults.\nmodle: x\n---\n\nBe kind.')
    await page.getByText('Line 3: Unknown field: modle.').waitFor()
    expect(await page.getByRole('button', { name: 'Review and create' }).isDisabled()).toBe(true)

    await write(page, '---\ndescription: Finds faults.\n---\n\nBe kind.')
    await page.getByText('Matches the schema').waitFor()
    await save(page, 'Create')
    await page.getByText('persona · generation 1').waitFor()
    const { document } = await world.skein.catalog.get('persona', 'critic')
    expect(document).toMatchObject({ description: 'Finds faults.', prompt: 'Be kind.' })
    expect(await findBarriers(page)).toEqual([])
    await closeProfile(page)
  })

  it('shows a conflict, overwrites nothing silently, and lets one merge by hand', async () => {
    const { generation } = await world.skein.catalog.put('persona', 'pair', { prompt: 'First.' })
    const page = await world.openSignedIn('/catalog/persona/pair')
    await page.getByText(`generation ${generation}`).first().waitFor()
    await write(page, '---\ndescription: Mine.\n---\n\nFirst.')
    // A look at the history must not cost what was typed.
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByText('Generation 1', { exact: true }).first().waitFor()
    await page.getByRole('tab', { name: 'Document' }).click()
    await page.getByText('Mine.').waitFor()
    await world.skein.catalog.put('persona', 'pair', { prompt: 'Theirs.' })

    await save(page, 'Save')
    const conflict = page.getByRole('dialog', { name: 'Someone else saved in the meantime' })
    await conflict.waitFor()
    await conflict.getByText('added: Theirs.').waitFor()
    expect(await findBarriers(page)).toEqual([])
    expect((await world.skein.catalog.get('persona', 'pair')).document).toMatchObject({ prompt: 'Theirs.' })

    await conflict.getByRole('button', { name: 'Keep editing' }).click()
    await page.getByLabel('Generation 2 (current)').getByText('Theirs.').waitFor()
    await write(page, '---\ndescription: Mine.\n---\n\nTheirs.')
    await save(page, 'Save')
    await page.getByText('persona · generation 3').waitFor()
    expect((await world.skein.catalog.get('persona', 'pair')).document).toMatchObject({
      description: 'Mine.',
      prompt: 'Theirs.',
    })
    await closeProfile(page)
  })

  it('keeps what was typed when it cannot look for news, and says why a save over theirs failed', async () => {
    await world.skein.catalog.put('persona', 'kept', { prompt: 'First.' })
    const page = await world.openSignedIn('/catalog/persona/kept')
    await write(page, '---\ndescription: Mine.\n---\n\nFirst.')
    await refuse(page, '**/v1/catalog/persona/kept*', (request) => request.method() === 'GET')
    await page.getByRole('alert').getByText('Nothing you typed is lost.').waitFor()
    await page.getByLabel('persona kept').getByText('Mine.').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.unroute('**/v1/catalog/persona/kept*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })

    await world.skein.catalog.put('persona', 'kept', { prompt: 'Theirs.' })
    await save(page, 'Save')
    const conflict = page.getByRole('dialog', { name: 'Someone else saved in the meantime' })
    await conflict.waitFor()
    expect(await conflict.getByRole('alert').count()).toBe(0)
    await refuse(page, '**/v1/catalog/persona/kept*', (request) => request.method() !== 'GET')
    await conflict.getByRole('button', { name: 'Overwrite theirs' }).click()
    await conflict.getByRole('alert').getByText('Not today.').waitFor()
    await closeProfile(page)
  })

  it('shows a key that was written, and deletes, though nothing can be read afterwards', async () => {
    const page = await world.openSignedIn('/catalog/token/lost')
    await write(page, 'role: viewer\naccount: ada\n')
    await refuse(page, '**/v1/catalog/token/lost*', (request) => request.method() === 'GET')
    await save(page, 'Create')
    const shown = page.getByRole('dialog', { name: 'Secret of lost' })
    expect(await shown.getByLabel('key', { exact: true }).textContent()).toMatch(/^skn_/)
    await shown.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByText('token · generation 1').waitFor()

    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL('**/catalog/token')
    await closeProfile(page)
  })

  it('continues the history after a page that failed to load', async () => {
    for (let count = 0; count < 51; count++)
      await world.skein.catalog.put('persona', 'long', { prompt: `p${count}` })
    const page = await world.openSignedIn('/catalog/persona/long')
    await page.getByRole('tab', { name: 'History' }).click()
    const oldest = page.getByText('Generation 1', { exact: true })
    await page.getByText('Generation 51', { exact: true }).waitFor()
    await refuse(page, '**/v1/catalog/persona/long/**', isLaterPage)
    await page.getByRole('button', { name: 'Show older generations' }).click()
    await page.getByRole('alert').getByText('Not today.').waitFor()
    await page.getByText('Generation 51', { exact: true }).waitFor()
    expect(await oldest.count()).toBe(0)
    await page.unroute('**/v1/catalog/persona/long/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await oldest.waitFor()
    await closeProfile(page)
  })

  it('restores an old generation from the history, and deletes after a question', async () => {
    await world.skein.catalog.put(
      'profile',
      'night',
      { contact: 'ada' },
      { justification: 'the night shift' },
    )
    await world.skein.catalog.put('profile', 'night', { contact: 'bob' })
    const page = await world.openSignedIn('/catalog/profile/night')
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByText('“the night shift”').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Restore generation 1' }).click()
    const review = page.getByRole('dialog', { name: 'Restore generation 1' })
    await review.getByText('added: contact: ada').waitFor()
    await review.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('profile · generation 3').waitFor()
    expect((await world.skein.catalog.get('profile', 'night')).document).toMatchObject({ contact: 'ada' })

    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL('**/catalog/profile')
    await page.getByText('No profile yet').waitFor()
    await closeProfile(page)
  })

  it('keeps a built-in unchanged until someone customises it', async () => {
    const page = await world.openSignedIn('/catalog/persona/default')
    await page.getByText('This resource ships with Skein.').waitFor()
    expect(await page.getByRole('button', { name: 'Review and save' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Customise' }).click()
    await write(page, '---\ndescription: Ours.\n---\n\nBe brief.')
    await save(page, 'Save')
    await page.getByText('persona · generation 1').waitFor()
    await closeProfile(page)
  })
})

describe('tokens', () => {
  it('are created with a key that is shown once, rotated and revoked', async () => {
    const page = await world.openSignedIn('/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill('robot')
    await page.getByRole('button', { name: 'Create token' }).click()
    const shown = page.getByRole('dialog', { name: 'Key of robot' })
    await shown.getByText('shown only once').waitFor()
    const key = await shown.getByLabel('key', { exact: true }).textContent()
    expect(key).toMatch(/^skn_/)
    expect(await findBarriers(page)).toEqual([])
    await shown.getByRole('button', { name: 'I have copied it' }).click()
    expect(await page.getByText(key ?? '').count()).toBe(0)

    await page.getByRole('button', { name: 'Rotate robot' }).click()
    await page.getByRole('button', { name: 'Create new key' }).click()
    await shown.waitFor()
    expect(await shown.getByLabel('key', { exact: true }).textContent()).not.toBe(key)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Revoke robot' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('row', { name: /robot/ }).getByText('Revoked').waitFor()
    await closeProfile(page)
  })

  it('are rotated, revoked and deleted by an operator only with a reason', async () => {
    await world.skein.catalog.put('token', 'watched', { role: 'viewer', account: 'ada' })
    const page = await world.openSignedIn()
    const permissions = await world.skein.permissions()
    await page.route('**/v1/permissions', (route) =>
      route.fulfill({ json: { ...permissions, mustJustify: true } }),
    )
    await page.goto('/tokens')
    expect(await giveReason(page, 'Rotate watched', 'Create new key')).toEqual([false, true])
    expect(await giveReason(page, 'Revoke watched', 'Revoke')).toEqual([false, true])
    await page.goto('/catalog/token/watched')
    expect(await giveReason(page, 'Delete', 'Delete')).toEqual([false, true])
    await closeProfile(page)
  })

  it('leave their marks in the audit log, which is filtered by the address', async () => {
    const page = await world.openSignedIn('/audit?kind=token&name=dev')
    await page.getByRole('link', { name: 'token/dev', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: /^workspace\// }).count()).toBe(0)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('link', { name: 'workspace/sample' }).waitFor()
    expect(new URL(page.url()).search).toBe('')
    expect(await findBarriers(page)).toEqual([])
    await world.skein.catalog.put('persona', 'while-watching', {})
    await page.getByRole('link', { name: 'persona/while-watching' }).waitFor()
    await closeProfile(page)
  })
})

it('no page complained', () => {
  expect(world.complaints).toEqual([])
})

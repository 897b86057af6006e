import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addRelease, parseChangeNote, readRelease } from '../../../scripts/release/change-notes.ts'
import { requireWorkflow } from '../../../scripts/release/publish.ts'
import { ask } from '../../../scripts/release/run.ts'
import { commitVersion, isTagged, requireClean, tagCommit } from '../../../scripts/release/tag.ts'
import { inPublishOrder, readWorkspaces, theVersion } from '../../../scripts/release/workspaces.ts'
import { read, root } from './tree.ts'

describe('the changelog of a release', () => {
  const notes = [
    parseChangeNote("---\n'@skein/cli': patch\n---\n\nIt no longer\nhangs.\n\nReally.\n"),
    parseChangeNote("---\n'@skein/cli': patch\n'@skein/core': minor\n---\n\n- One thing.\n- Another.\n"),
  ]
  const release = { version: '0.2.0', date: '2026-11-17', notes }
  const before = '# Changelog\n\n## Unreleased\n\nNotes.\n\n## 0.1.0 (2026-11-16)\n\n### Fixed\n\n- Old.\n'
  const section =
    '### New and changed\n\n- One thing.\n- Another.\n\n### Fixed\n\n- It no longer\n  hangs.\n\n  Really.'

  test('stands below what is not released and above the releases before', () => {
    expect(addRelease(before, release)).toBe(
      '# Changelog\n\n## Unreleased\n\nNotes.\n\n## 0.2.0 (2026-11-17)\n\n' +
        `${section}\n\n## 0.1.0 (2026-11-16)\n\n### Fixed\n\n- Old.\n`,
    )
  })

  test('is written once, however often the release is tried', () => {
    const once = addRelease(before, release)
    expect(addRelease(once, { ...release, date: '2026-11-18' })).toBe(once)
  })

  test('is what the page of the release shows', () => {
    const changelog = addRelease(before, release)
    expect(readRelease(changelog, '0.2.0')).toBe(section)
    expect(readRelease(changelog, '0.1.0')).toBe('### Fixed\n\n- Old.')
    expect(() => readRelease(changelog, '0.3.0')).toThrow('no section 0.3.0')
  })

  test('the changelog of this repository can take a release', async () => {
    const changelog = addRelease(await read('CHANGELOG.md'), { ...release, version: '99.0.0' })
    expect(readRelease(changelog, '99.0.0')).toBe(section)
  })

  test.each(['no front matter', '---\n---\n\ntext', "---\n'@skein/cli': none\n---\n\ntext"])(
    'a note that says nothing about packages is refused: %j',
    (file) => {
      expect(() => parseChangeNote(file)).toThrow(/change note/)
    },
  )
})

describe('what is published', () => {
  test('comes after what it needs, and has one version', async () => {
    const workspaces = await readWorkspaces(root)
    const ordered = inPublishOrder(workspaces)
    expect(ordered.length).toBeGreaterThan(10)
    const seen = new Set<string>()
    for (const { name, dependencies = {} } of ordered) {
      const ours = Object.keys(dependencies).filter((other) => other.startsWith('@skein/'))
      expect(ours.filter((other) => !seen.has(other))).toEqual([])
      seen.add(name)
    }
    expect(ordered.map(({ version }) => version)).toEqual(ordered.map(() => theVersion(workspaces)))
  })

  test('packages with two versions are not released', () => {
    const workspaces = ['1.0.0', '1.0.1'].map((version) => ({
      folder: version,
      manifest: { name: version, version },
    }))
    expect(() => theVersion(workspaces)).toThrow('1.0.0, 1.0.1')
  })

  const url = 'git+https://github.com/skein/skein.git'
  const workflow = {
    GITHUB_ACTIONS: 'true',
    ACTIONS_ID_TOKEN_REQUEST_URL: 'https://token',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'skein/skein',
  }

  test('comes from a workflow of the repository that the packages name', () => {
    expect(() => requireWorkflow(workflow, url)).not.toThrow()
    expect(() => requireWorkflow({}, url)).toThrow('Only the workflow')
    const withoutToken = { ...workflow, ACTIONS_ID_TOKEN_REQUEST_URL: undefined }
    expect(() => requireWorkflow(withoutToken, url)).toThrow('Only the workflow')
    expect(() => requireWorkflow({ ...workflow, GITHUB_REPOSITORY: 'other/skein' }, url)).toThrow(
      'other/skein',
    )
  })
})

describe('the tag of a release', () => {
  let folder: string
  const git = (...args: string[]) => ask(folder, 'git', ...args)

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'skein-release-'))
    await git('init', '--quiet')
    await git('config', 'user.name', 'Test')
    await git('config', 'user.email', 'test@example.com')
    await writeFile(join(folder, 'file'), '1')
  })

  afterEach(() => rm(folder, { recursive: true, force: true }))

  test('is made once, and a release that stopped can be continued', async () => {
    await expect(requireClean(folder)).rejects.toThrow('file')
    for (const _ of [1, 2]) {
      await commitVersion(folder, '0.1.0')
      await tagCommit(folder, '0.1.0')
      await requireClean(folder)
    }
    expect(await git('log', '--format=%s %D')).toMatch(/^chore: release v0\.1\.0 .*tag: v0\.1\.0[^\n]*$/)
    expect(await isTagged(folder, '0.1.0')).toBe(true)
  })

  test('never moves to another commit', async () => {
    await commitVersion(folder, '0.1.0')
    await tagCommit(folder, '0.1.0')
    await writeFile(join(folder, 'file'), '2')
    await commitVersion(folder, '0.1.0')
    expect(await isTagged(folder, '0.1.0')).toBe(false)
    await expect(tagCommit(folder, '0.1.0')).rejects.toThrow('another commit')
  })
})

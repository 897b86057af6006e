import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

type Bump = 'major' | 'minor' | 'patch'

export interface ChangeNote {
  /** The largest bump of the packages it names: all of them get one version. */
  readonly bump: Bump
  readonly text: string
}

/** The notes that are not released yet. */
export async function readChangeNotes(root: string): Promise<ChangeNote[]> {
  const folder = join(root, '.changeset')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md') && name !== 'README.md')
  return Promise.all(
    names.toSorted().map(async (name) => parseChangeNote(await readFile(join(folder, name), 'utf8'))),
  )
}

export function parseChangeNote(file: string): ChangeNote {
  const [, head, text] = /^---\n([^]*?)\n---\n([^]*)$/.exec(file) ?? []
  if (head === undefined || text === undefined) throw new Error(`Not a change note:\n${file}`)
  const bumps = ['major', 'minor', 'patch'] as const
  const bump = bumps.find((name) => new RegExp(`: ${name}$`, 'm').test(head))
  if (bump === undefined) throw new Error(`A change note names no package:\n${file}`)
  return { bump, text: text.trim() }
}

/** The changelog with a section for the release, below the unreleased one. Adding it twice changes nothing. */
export function addRelease(
  changelog: string,
  { version, date, notes }: { version: string; date: string; notes: readonly ChangeNote[] },
): string {
  if (changelog.includes(`\n## ${version} `)) return changelog
  const section = [
    `## ${version} (${date})`,
    ...list('Breaking changes', notes, 'major'),
    ...list('New and changed', notes, 'minor'),
    ...list('Fixed', notes, 'patch'),
  ].join('\n\n')
  const [before = '', unreleased = ''] = changelog.split(/(?=\n## Unreleased\n)/)
  const [current = '', ...earlier] = unreleased.split(/\n(?=## (?!Unreleased))/)
  return `${[`${before}${current.trimEnd()}`, section, ...earlier.map((part) => part.trim())].join('\n\n')}\n`
}

/** The notes of one release, for its release page. */
export function readRelease(changelog: string, version: string): string {
  const section = changelog.split(/\n(?=## )/).find((part) => part.startsWith(`## ${version} `))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${version}.`)
  return section.slice(section.indexOf('\n')).trim()
}

function list(heading: string, notes: readonly ChangeNote[], bump: Bump): string[] {
  const items = notes.filter((note) => note.bump === bump).map(({ text }) => asItem(text))
  return items.length === 0 ? [] : [`### ${heading}`, items.join('\n')]
}

function asItem(text: string): string {
  // Some notes are already lists.
  if (text.startsWith('- ')) return text
  return `- ${text.replaceAll(/\n(?=[^\n])/g, '\n  ')}`
}

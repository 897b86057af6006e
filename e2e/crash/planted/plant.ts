import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Bug, Edit } from './bug.ts'

/** What a server needs from a package. */
const COPIED = new Set(['package.json', 'src', 'migrations', 'functions', 'dist'])

/** A copy of the source tree with the bug. Third-party packages come from the original. */
export function plant(root: string, { name, edits }: Pick<Bug, 'name' | 'edits'>): string {
  const copy = mkdtempSync(join(tmpdir(), `skein-planted-${name}-`))
  for (const folder of readdirSync(join(root, 'packages'))) copyPackage(root, copy, folder)
  linkModules(root, copy)
  for (const edit of edits) {
    const file = join(copy, edit.file)
    writeFileSync(file, apply(readFileSync(file, 'utf8'), edit))
  }
  return copy
}

/** Why the bug can no longer be planted; undefined if it can. */
export function whyUnapplied(root: string, { edits }: Bug): string | undefined {
  for (const edit of edits) {
    const file = join(root, edit.file)
    if (!existsSync(file)) return `${edit.file} is gone`
    const times = readFileSync(file, 'utf8').split(edit.find).length - 1
    if (times !== 1) return `${edit.file} has ${times} times: ${edit.find.split('\n')[0]}`
  }
  return undefined
}

/** Not String.replace, which interprets dollar signs. */
function apply(text: string, { find, replace }: Edit): string {
  return text.split(find).join(replace)
}

function copyPackage(root: string, copy: string, folder: string): void {
  const from = join(root, 'packages', folder)
  const to = join(copy, 'packages', folder)
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from)) {
    if (COPIED.has(entry)) cpSync(join(from, entry), join(to, entry), { recursive: true })
    else if (entry === 'node_modules') symlinkSync(join(from, entry), join(to, entry))
  }
}

/** Our own packages come from the copy, everything else from the original. */
function linkModules(root: string, copy: string): void {
  const from = join(root, 'node_modules')
  const to = join(copy, 'node_modules')
  mkdirSync(join(to, '@skein'), { recursive: true })
  for (const entry of readdirSync(from)) {
    if (entry !== '@skein') symlinkSync(join(from, entry), join(to, entry))
  }
  for (const folder of readdirSync(join(copy, 'packages'))) {
    const { name } = JSON.parse(readFileSync(join(copy, 'packages', folder, 'package.json'), 'utf8')) as {
      name: string
    }
    symlinkSync(join('..', '..', 'packages', folder), join(to, '@skein', basename(name)))
  }
}

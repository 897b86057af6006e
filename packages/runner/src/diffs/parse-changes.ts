import type { RecordDiffRequest } from '@skein/contract'

type File = RecordDiffRequest['files'][number]

/** A changed file, without its patch. */
export interface ChangedFile extends Pick<
  File,
  'path' | 'oldPath' | 'change' | 'kind' | 'added' | 'removed'
> {
  /** How many patches git shows for it: two if its type changed, because it is removed and added. */
  readonly patches: number
}

const CHANGES: Readonly<Record<string, File['change']>> = {
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  T: 'type-changed',
}
const LINK = '120000'
const SUBMODULE = '160000'

/** Parses `git diff-tree -z --raw --numstat`: first all files, then the numbers of all files. */
export function parseChanges(output: string): ChangedFile[] {
  const fields = output.split('\0')
  const files: Omit<ChangedFile, 'added' | 'removed'>[] = []
  const numbers = new Map<string, { added: number; removed: number; isBinary: boolean }>()
  let at = 0
  const take = (): string => fields[at++] ?? ''
  while (at < fields.length) {
    const field = take()
    if (field.startsWith(':')) {
      const [oldMode = '', newMode = '', , , status = ''] = field.slice(1).split(' ')
      const change = CHANGES[status.charAt(0)] ?? 'modified'
      const oldPath = change === 'renamed' ? take() : ''
      const kind = kindOf(change === 'deleted' ? oldMode : newMode)
      files.push({ path: take(), oldPath, change, kind, patches: change === 'type-changed' ? 2 : 1 })
    } else if (field !== '') {
      const [added = '', removed = '', name = ''] = splitNumbers(field)
      // A renamed file has both names in fields of their own.
      if (name === '') take()
      const path = name === '' ? take() : name
      numbers.set(path, { added: Number(added) || 0, removed: Number(removed) || 0, isBinary: added === '-' })
    }
  }
  return files.map((file) => {
    const { added = 0, removed = 0, isBinary = false } = numbers.get(file.path) ?? {}
    return { ...file, added, removed, kind: isBinary && file.kind === 'text' ? 'binary' : file.kind }
  })
}

function kindOf(mode: string): File['kind'] {
  if (mode === SUBMODULE) return 'submodule'
  return mode === LINK ? 'link' : 'text'
}

/** The name may contain tabs. */
function splitNumbers(field: string): string[] {
  const first = field.indexOf('\t')
  const second = field.indexOf('\t', first + 1)
  return [field.slice(0, first), field.slice(first + 1, second), field.slice(second + 1)]
}

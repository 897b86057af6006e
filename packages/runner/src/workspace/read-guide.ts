import type { Sandbox } from '../sandbox/sandbox.ts'
import type { RepoFolder } from './repo-folder.ts'
import { runScript } from './run-script.ts'

const MAX_BYTES = 64 * 1024

/** A link may point to another file of the repository, but not outside it. */
const READ = `cd -- "$repo" || exit 0
root=$(pwd -P)
for name in AGENTS.md CLAUDE.md; do
  target=$(readlink -f -- "$name") || continue
  case $target in "$root"/*) ;; *) continue ;; esac
  [ -f "$target" ] || continue
  head -c "$max_bytes" -- "$target"
  exit 0
done
`

/** The repositories' guides for agents. Programs don't read them themselves: see ProgramSetup. */
export async function readGuides(sandbox: Sandbox, folders: readonly RepoFolder[]): Promise<string> {
  const guides: string[] = []
  for (const { name, dir } of folders) {
    const { stdout } = await runScript(sandbox, {
      text: READ,
      variables: { repo: dir, max_bytes: String(MAX_BYTES) },
      timeoutMs: 10_000,
      maxBytes: MAX_BYTES,
    })
    const text = stdout.replace(/�$/, '').trim()
    if (text !== '') guides.push(folders.length > 1 ? `# Guide of ${name}\n\n${text}` : text)
  }
  return guides.join('\n\n').slice(0, MAX_BYTES)
}

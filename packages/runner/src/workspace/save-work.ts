import type { Sandbox } from '../sandbox/sandbox.ts'
import type { AgentNames } from './agent-names.ts'
import type { Refs } from '../git/mirror-cache.ts'
import type { RepoFolder } from './repo-folder.ts'
import { describeFailure, gitVariables, runScript } from './run-script.ts'
import { SAVED_WORK_TITLE } from './saved-work.ts'
import { OPEN_SNAPSHOT } from './snapshot-repository.ts'

export interface SaveSetup {
  readonly sandbox: Sandbox
  readonly names: AgentNames
  readonly folder: RepoFolder
  /** The mirror's refs, and so the upstream's. */
  readonly refs: Refs
  /** Where saved work is pushed: a URL that allows nothing else. */
  readonly pushUrl: string
  readonly maxFileBytes: number
  readonly timeoutMs: number
}

export type SaveOutcome =
  /** `commit` is the saved work, without files that are too large. */
  | { readonly status: 'saved'; readonly commit: string; readonly tooLarge: readonly string[] }
  /** Everything is already upstream. */
  | { readonly status: 'clean'; readonly tooLarge: readonly string[] }
  | { readonly status: 'failed'; readonly reason: string }

/**
 * Files are added with our own repository's index, so a working agent is not disturbed. Git gives up if a file
 * disappears while it scans; with a list of files it only notes that the file is gone, but would fail on one it
 * cannot read. The commit has its parent's date, so the same work gives the same commit and nothing is pushed twice.
 * Standard input: what the upstream has, as `^commit`.
 */
const SAVE = `set -eu
cd -- "$repo"
head=$(git rev-parse -q --verify 'HEAD^{commit}' || :)
branch_ref=$(git symbolic-ref -q HEAD || echo none)
objects=$(cd -- "$(git rev-parse --git-path objects)" && pwd -P)
exclude=$(git rev-parse --git-path info/exclude)
mkdir -p "$(dirname -- "$snapshot")"
${OPEN_SNAPSHOT}
printf '%s\\n' "$objects" >> "$snapshot/objects/info/alternates"
cat > "$snapshot/upstream"
git for-each-ref --count=200 --format='%(objectname) %(refname)' refs/heads refs/stash > "$snapshot/refs-found"
if [ -f "$exclude" ]; then cat -- "$exclude" > "$snapshot/info/exclude"; else rm -f "$snapshot/info/exclude"; fi

own() { GIT_DIR="$snapshot" GIT_WORK_TREE="$repo" git "$@"; }
list_large() {
  [ -s "$snapshot/large" ] || return 0
  GIT_DIR="$snapshot" GIT_WORK_TREE="$repo" GIT_LITERAL_PATHSPECS=1 xargs -0 \\
    git -c core.quotePath=false ls-files -m -o --exclude-standard -- < "$snapshot/large" | sort -u | head -n 100
}
if [ -z "$head" ]; then own read-tree --empty
else own read-tree -m "$head" 2> /dev/null || { rm -f "$snapshot/index"; own read-tree "$head"; }
fi
printf '.\\0' > "$snapshot/paths"
find . -path ./.git -prune -o -type f -size "+\${max_bytes}c" -print0 > "$snapshot/large" || :
if [ -s "$snapshot/large" ]; then
  xargs -0 printf ':(exclude,literal)%s\\0' < "$snapshot/large" >> "$snapshot/paths"
fi
tries=25
add_all() {
  own -c advice.addEmbeddedRepo=false add -A --ignore-errors --pathspec-from-file="$snapshot/paths" \\
    --pathspec-file-nul 2> "$snapshot/problems"
}
add_listed() {
  own ls-files -z -o -m -d --exclude-standard | LC_ALL=C sort -zu > "$snapshot/changed"
  sed -z 's,^\\./,,' "$snapshot/large" | LC_ALL=C sort -zu > "$snapshot/left-out"
  LC_ALL=C comm -z -23 "$snapshot/changed" "$snapshot/left-out" |
    own update-index -z --add --remove --replace --stdin 2> "$snapshot/problems"
}
while :; do
  added=0
  add_all || added=$?
  if [ "$added" -le 1 ] || add_listed; then break; fi
  tries=$((tries - 1))
  [ "$tries" -gt 0 ] || { cat "$snapshot/problems" >&2; exit 1; }
done
tree=$(own write-tree)

clean_tree=$(own rev-parse -q --verify "\${head:-none}^{tree}" || own hash-object -t tree /dev/null)
tips=$( { [ -z "$head" ] || echo "$head"; cut -d' ' -f1 "$snapshot/refs-found"; } | sort -u)
unpushed=
if [ -n "$tips" ]; then
  unpushed=$( { printf '%s\\n' "$tips"; cat "$snapshot/upstream"; } | own rev-list --ignore-missing -n 1 --stdin)
fi
if [ "$tree" = "$clean_tree" ] && [ -z "$unpushed" ] && [ "$branch_ref" = "refs/heads/$branch" ] &&
  { [ -z "$pushed" ] || [ "$head" = "$pushed" ]; }
then echo clean; list_large; exit 0
fi

seconds=0
if [ -n "$head" ]; then seconds=$(own show -s --format=%ct "$head"); fi
export GIT_AUTHOR_DATE="@$seconds +0000" GIT_COMMITTER_DATE="@$seconds +0000"
set --
for tip in $tips; do set -- "$@" -p "$tip"; done
commit=$( {
  printf '%s\\n\\n' "$title" 'Kept so that the agent can go on anywhere. Not meant to be merged.'
  printf 'Branch: %s\\nHead: %s\\n' "$branch_ref" "\${head:-none}"
  sed 's/^/Ref: /' "$snapshot/refs-found"
} | own commit-tree "$@" "$tree")
if [ "$commit" != "$known" ]; then
  own push -q --force "$push_url" "$commit:$saved_ref" >&2
  rm -rf -- "$snapshot"/objects/?? "$snapshot"/objects/pack/*
fi
echo "saved $commit"
list_large
`

/** Saves what the upstream lacks: commits, branches, and files that are not ignored. */
export async function saveFolder(setup: SaveSetup): Promise<SaveOutcome> {
  const { sandbox, names, folder, refs } = setup
  const upstream = new Set(
    [...refs].filter(([ref]) => /^refs\/(?:heads|tags)\//.test(ref)).map(([, id]) => id),
  )
  const outcome = await runScript(sandbox, {
    text: SAVE,
    variables: {
      ...gitVariables(names, sandbox.spec.workDir),
      repo: folder.dir,
      snapshot: folder.snapshotDir,
      mirror: `${folder.mirrorDir}/objects`,
      branch: names.branch,
      pushed: refs.get(`refs/heads/${names.branch}`) ?? '',
      known: refs.get(names.savedRef) ?? '',
      saved_ref: names.savedRef,
      push_url: setup.pushUrl,
      max_bytes: String(setup.maxFileBytes),
      title: SAVED_WORK_TITLE,
    },
    stdin: [...upstream].map((id) => `^${id}\n`).join(''),
    timeoutMs: setup.timeoutMs,
  })
  if (outcome.code !== 0) return { status: 'failed', reason: describeFailure(outcome) }
  const [first = '', ...tooLarge] = outcome.stdout.split('\n').filter(Boolean)
  if (first === 'clean') return { status: 'clean', tooLarge }
  return { status: 'saved', commit: first.replace(/^saved /, ''), tooLarge }
}

import type { Sandbox } from '../sandbox/sandbox.ts'
import type { AgentNames } from './agent-names.ts'
import { GitError } from './git-error.ts'
import type { Base, Refs } from './mirror-cache.ts'
import type { Repo } from './repo-address.ts'
import { describeFailure, gitVariables, runScript } from './run-script.ts'
import type { SavedWork } from './saved-work.ts'
import { OPEN_SNAPSHOT } from './snapshot-repository.ts'

/** One repository of an agent's workspace. */
export interface RepoFolder {
  readonly name: string
  readonly repo: Repo
  /** The address without a credential. */
  readonly url: string
  readonly dir: string
  /** Our own repository beside it: see `snapshot-repository.ts`. */
  readonly snapshotDir: string
  readonly mirrorDir: string
  /** Where the agent's work starts; undefined in an empty repository. */
  readonly base: Base | undefined
}

export interface FolderSetup {
  readonly sandbox: Sandbox
  readonly names: AgentNames
  readonly folder: RepoFolder
  /** What the mirror has. */
  readonly refs: Refs
  /** The address of the git front for this run. */
  readonly originUrl: string
}

const CLONE_TIMEOUT_MS = 900_000

const CONFIGURE = `
git config remote.origin.url "$origin"
git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'
`

/** A link in place of the folder is removed, never followed. */
const CREATE = `set -eu
if [ -L "$repo" ]; then rm -f -- "$repo"; fi
if [ -e "$repo" ]; then chmod -R u+rwx -- "$repo" || :; rm -rf -- "$repo"; fi
rm -rf -- "$snapshot"
mkdir -p "$(dirname -- "$snapshot")"
git init -q --template= -- "$repo"
cd -- "$repo"
mkdir -p .git/info .git/hooks .git/objects/info
printf '%s\\n' "$mirror" > .git/objects/info/alternates
git config user.name "$GIT_AUTHOR_NAME"
git config user.email "$GIT_AUTHOR_EMAIL"
git config gc.auto 0
git config "branch.$branch.remote" origin
git config "branch.$branch.merge" "refs/heads/$branch"
${CONFIGURE}
git symbolic-ref HEAD "$head_ref"
git update-ref --create-reflog --stdin
if [ -n "$detached" ]; then git update-ref --no-deref HEAD "$detached"; fi
if [ -z "$tree" ]; then
  if git rev-parse -q --verify HEAD > /dev/null; then git reset -q --hard; fi
else
  ${OPEN_SNAPSHOT}
  GIT_DIR="$snapshot" GIT_WORK_TREE="$repo" git read-tree --reset -u "$tree"
  if git rev-parse -q --verify HEAD > /dev/null; then
    git read-tree HEAD
    git update-index -q --refresh || :
  fi
fi
`

/** Exit code 3: there is nothing usable. Locks are left by an agent that was killed: none is at work now. */
const RENEW = `set -eu
[ ! -L "$repo" ] || exit 3
cd -- "$repo" || exit 3
git_dir=$(git rev-parse --absolute-git-dir) || exit 3
case $git_dir in "$(pwd -P)"/.git) ;; *) exit 3 ;; esac
chmod u+rwx -- "$git_dir" && chmod u+rw -- "$git_dir/config"
rm -f -- "$git_dir"/*.lock
find "$git_dir/refs" -name '*.lock' -type f -exec rm -f -- {} +
mkdir -p "$git_dir/objects/info"
grep -qsxF -- "$mirror" "$git_dir/objects/info/alternates" || printf '%s\\n' "$mirror" >> "$git_dir/objects/info/alternates"
${CONFIGURE}
git update-ref --stdin || :
`

/** Makes the folder from what upstream has: the agent's saved work, or its branch, or the base. */
export async function createFolder(setup: FolderSetup, saved: SavedWork | undefined): Promise<void> {
  const { names, folder, refs } = setup
  const branchRef = `refs/heads/${names.branch}`
  const start = refs.get(branchRef) ?? folder.base?.commit
  const own = saved ? saved.refs : start === undefined ? [] : [{ ref: branchRef, commit: start }]
  const isDetached = saved?.branchRef === ''
  const outcome = await runFolderScript(setup, CREATE, [...own, ...trackedRefs(refs)], {
    head_ref: isDetached || !saved ? branchRef : saved.branchRef,
    detached: isDetached ? saved.head : '',
    tree: saved?.tree ?? '',
  })
  if (outcome.code !== 0) {
    throw new GitError(
      'failed',
      `The workspace of ${folder.name} could not be made: ${describeFailure(outcome)}`,
    )
  }
}

/** Gets an existing folder ready for another run. False when the agent has left nothing that can be used. */
export async function renewFolder(setup: FolderSetup): Promise<boolean> {
  const outcome = await runFolderScript(setup, RENEW, trackedRefs(setup.refs), {})
  if (outcome.code === 0) return true
  if (outcome.code === 3) return false
  throw new GitError(
    'failed',
    `The workspace of ${setup.folder.name} cannot be used: ${describeFailure(outcome)}`,
  )
}

function runFolderScript(
  { sandbox, names, folder, originUrl }: FolderSetup,
  text: string,
  refs: readonly { ref: string; commit: string }[],
  variables: Readonly<Record<string, string>>,
) {
  return runScript(sandbox, {
    text,
    variables: {
      ...gitVariables(names, sandbox.spec.workDir),
      repo: folder.dir,
      snapshot: folder.snapshotDir,
      mirror: `${folder.mirrorDir}/objects`,
      origin: originUrl,
      branch: names.branch,
      ...variables,
    },
    stdin: refs.map(({ ref, commit }) => `update ${ref} ${commit}\n`).join(''),
    timeoutMs: CLONE_TIMEOUT_MS,
  })
}

/** As a fetch would leave them. The agent needs none for it, and may not be able to. */
function trackedRefs(refs: Refs): { ref: string; commit: string }[] {
  return [...refs].flatMap(([ref, commit]) => {
    if (ref.startsWith('refs/heads/'))
      return [{ ref: ref.replace('refs/heads/', 'refs/remotes/origin/'), commit }]
    return ref.startsWith('refs/tags/') ? [{ ref, commit }] : []
  })
}

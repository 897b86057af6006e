import type { Sandbox } from '../sandbox/sandbox.ts'
import type { AgentNames } from './agent-names.ts'
import { GitError } from '../git/git-error.ts'
import type { Base, Refs } from '../git/mirror-cache.ts'
import type { Repo } from '../git/repo-address.ts'
import { describeFailure, gitVariables, runScript } from './run-script.ts'
import type { SavedWork } from './saved-work.ts'
import { OPEN_SNAPSHOT } from './snapshot-repository.ts'

/** One repository of an agent's workspace. */
export interface RepoFolder {
  readonly name: string
  readonly repo: Repo
  /** The URL without credentials. */
  readonly url: string
  readonly dir: string
  /** Our own repository next to it: see `snapshot-repository.ts`. */
  readonly snapshotDir: string
  readonly mirrorDir: string
  /** Where the agent's work starts; undefined for an empty repository. */
  readonly base: Base | undefined
}

export interface FolderSetup {
  readonly sandbox: Sandbox
  readonly names: AgentNames
  readonly folder: RepoFolder
  /** The mirror's refs. */
  readonly refs: Refs
  /** URL of the git front for this run. */
  readonly originUrl: string
}

const CLONE_TIMEOUT_MS = 900_000

/** Disables what a repository may have configured to run with every command. */
const NO_HOOKS = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'core.hooksPath',
  GIT_CONFIG_VALUE_0: '/dev/null',
  GIT_CONFIG_KEY_1: 'core.fsmonitor',
  GIT_CONFIG_VALUE_1: 'false',
}

const CONFIGURE = `
git config remote.origin.url "$origin"
git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'
`

/** A link in place of the folder is removed, never followed. */
const MAKE = `
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
`

/**
 * Puts the work into the folder. Untracked files stay, unless the work contains a file of the same name; tracked
 * files are replaced. `below` is the commit whose files are already there, if any.
 */
const PLACE = `
git symbolic-ref HEAD "$head_ref"
git update-ref --create-reflog --stdin
if [ -n "$detached" ]; then git update-ref --no-deref HEAD "$detached"; fi
if [ -z "$tree" ]; then
  if git rev-parse -q --verify HEAD > /dev/null; then git reset -q --hard; fi
else
  ${OPEN_SNAPSHOT}
  if [ -n "$below" ]; then GIT_DIR="$snapshot" git read-tree "$below"; fi
  GIT_DIR="$snapshot" GIT_WORK_TREE="$repo" git read-tree --reset -u "$tree"
  if git rev-parse -q --verify HEAD > /dev/null; then
    git read-tree HEAD
    git update-index -q --refresh || :
  fi
fi
`

/** Setup may have left git in any state. Its configuration is kept. */
const REPLACE = `
cd -- "$repo"
rm -f -- .git/*.lock
${PLACE}
`

/** Exit code 3: nothing usable. Locks were left by a killed agent, since none is working now. */
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

/** What a folder should contain. */
export interface FolderStart {
  readonly headRef: string
  readonly detached: string
  readonly tree: string
  readonly refs: readonly { readonly ref: string; readonly commit: string }[]
}

/** What upstream has of the agent: its saved work, its branch, or the base. */
export function ownStart({ names, folder, refs }: FolderSetup, saved: SavedWork | undefined): FolderStart {
  if (!saved) return startAt(names, refs.get(branchRefOf(names)) ?? folder.base?.commit)
  const isDetached = saved.branchRef === ''
  return {
    headRef: isDetached ? branchRefOf(names) : saved.branchRef,
    detached: isDetached ? saved.head : '',
    tree: saved.tree,
    refs: saved.refs,
  }
}

/** Nothing of the agent's. */
export function baseStart({ names, folder }: FolderSetup): FolderStart {
  return startAt(names, folder.base?.commit)
}

function startAt(names: AgentNames, commit: string | undefined): FolderStart {
  const headRef = branchRefOf(names)
  return { headRef, detached: '', tree: '', refs: commit === undefined ? [] : [{ ref: headRef, commit }] }
}

/** Creates the folder, whatever was there before. */
export async function createFolder(setup: FolderSetup, start: FolderStart): Promise<void> {
  await fillFolder(setup, `set -eu${MAKE}${PLACE}`, start, '')
}

/** Puts the agent's work on top of what a setup script made of the base. */
export async function placeWork(setup: FolderSetup, start: FolderStart): Promise<void> {
  await fillFolder(setup, `set -eu${REPLACE}`, start, setup.folder.base?.commit ?? '')
}

async function fillFolder(
  setup: FolderSetup,
  text: string,
  { headRef, detached, tree, refs }: FolderStart,
  below: string,
): Promise<void> {
  const variables = { head_ref: headRef, detached, tree, below }
  const outcome = await runFolderScript(setup, text, [...refs, ...trackedRefs(setup.refs)], variables)
  if (outcome.code !== 0) {
    throw new GitError(
      'failed',
      `The workspace of ${setup.folder.name} could not be created: ${describeFailure(outcome)}`,
    )
  }
}

/** Prepares an existing folder for another run. False if the agent left nothing usable. */
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
      ...NO_HOOKS,
    },
    stdin: refs.map(({ ref, commit }) => `update ${ref} ${commit}\n`).join(''),
    timeoutMs: CLONE_TIMEOUT_MS,
  })
}

function branchRefOf({ branch }: AgentNames): string {
  return `refs/heads/${branch}`
}

/** As a fetch would leave them. The agent need not fetch, and may not be able to. */
function trackedRefs(refs: Refs): { ref: string; commit: string }[] {
  return [...refs].flatMap(([ref, commit]) => {
    if (ref.startsWith('refs/heads/'))
      return [{ ref: ref.replace('refs/heads/', 'refs/remotes/origin/'), commit }]
    return ref.startsWith('refs/tags/') ? [{ ref, commit }] : []
  })
}

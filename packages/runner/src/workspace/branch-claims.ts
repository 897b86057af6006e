import { createHash } from 'node:crypto'
import { classifyGitFailure } from '../git/git-error.ts'
import type { MirrorCache } from '../git/mirror-cache.ts'
import type { Repo } from '../git/repo-address.ts'

/** The id of the empty tree, which every git knows. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/**
 * Claims one of these branches for the agent, in all its repositories: the one it already has, or the first no other
 * agent has. Claims are recorded upstream, in a ref that agents cannot write, because all workspaces, owners and
 * runners share it. The last candidate is named after the agent's complete identity.
 */
export async function claimBranch(
  mirrors: MirrorCache,
  repos: readonly Repo[],
  agentHash: string,
  branches: readonly [string, ...string[]],
): Promise<string> {
  const claim = makeClaim(agentHash)
  const claimsOf = await Promise.all(repos.map((repo) => mirrors.listRefs(repo)))
  const isOurs = (branch: string): boolean => claimsOf.some((refs) => refs.get(claimRef(branch)) === claim.id)
  for (const branch of [...branches.filter(isOurs), ...branches.filter((each) => !isOurs(each))]) {
    const claims = repos.map((repo) => claimIn(mirrors, repo, branch, claim))
    if ((await Promise.all(claims)).every(Boolean)) return branch
  }
  return branches.at(-1) ?? branches[0]
}

/** The branch that the agent has in this repository; undefined if it has none there. */
export async function findClaimed(
  mirrors: MirrorCache,
  repo: Repo,
  agentHash: string,
  branches: readonly string[],
): Promise<string | undefined> {
  const { id } = makeClaim(agentHash)
  const refs = await mirrors.listRefs(repo)
  return branches.find((branch) => refs.get(claimRef(branch)) === id && refs.has(`refs/heads/${branch}`))
}

/** For an agent that is gone and left no branch, so that others can claim it. */
export async function releaseBranch(
  mirrors: MirrorCache,
  repo: Repo,
  agentHash: string,
  branch: string,
): Promise<void> {
  const refs = await mirrors.listRefs(repo)
  const isOurs = refs.get(claimRef(branch)) === makeClaim(agentHash).id
  if (isOurs && !refs.has(`refs/heads/${branch}`)) await mirrors.removeRef(repo, claimRef(branch))
}

interface Claim {
  readonly id: string
  readonly text: string
}

/** A commit that is identical wherever it is created, so that its id identifies the claim's owner. */
function makeClaim(agentHash: string): Claim {
  const person = 'Skein <agents@skein.invalid> 0 +0000'
  const head = [`tree ${EMPTY_TREE}`, `author ${person}`, `committer ${person}`]
  const text = [...head, '', `The branch of the Skein agent ${agentHash}`, ''].join('\n')
  return { id: createHash('sha1').update(`commit ${text.length}\0${text}`).digest('hex'), text }
}

/** Whether the agent may use the branch there. */
async function claimIn(mirrors: MirrorCache, repo: Repo, branch: string, claim: Claim): Promise<boolean> {
  const ref = claimRef(branch)
  const holder = (await mirrors.listRefs(repo)).get(ref)
  if (holder !== undefined) return holder === claim.id
  return mirrors.withLock(repo, async () => {
    await mirrors.run(repo, ['hash-object', '-t', 'tree', '-w', '--stdin'])
    await mirrors.run(repo, ['hash-object', '-t', 'commit', '-w', '--stdin'], { stdin: claim.text })
    const { url } = mirrors.addressOf(repo)
    const push = ['push', '--quiet', `--force-with-lease=${ref}:`, url, `${claim.id}:${ref}`]
    const { code } = await mirrors.runUpstream(repo, push)
    if (code === 0) await mirrors.run(repo, ['update-ref', ref, claim.id])
    return code === 0 || findOut(mirrors, repo, ref, claim)
  })
}

/** The faster one has it. If nobody has, nothing can be pushed there and no claim is needed. */
async function findOut(mirrors: MirrorCache, repo: Repo, ref: string, claim: Claim): Promise<boolean> {
  mirrors.expire(repo)
  const { url } = mirrors.addressOf(repo)
  const outcome = await mirrors.runUpstream(repo, ['ls-remote', url, ref])
  if (outcome.code !== 0) throw classifyGitFailure(url, outcome.stderr, outcome.isTimedOut)
  const [holder = ''] = outcome.stdout.split('\t')
  return holder === '' || holder === claim.id
}

function claimRef(branch: string): string {
  return branch.replace(/^skein\//, 'refs/skein/branch/')
}

/**
 * `npm run release`: version, changelog, tarballs, their checks, a trial and the tag. Every step can be repeated, so
 * an interrupted release continues when the command is run again. Nothing is pushed, and only the workflow
 * publishes. See docs/contributing/releasing.md.
 */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { makeDataDir, removeDataDir } from '../../packages/cli/test/dev/dev-process.ts'
import { cloneRepository, installPackages } from '../../packages/cli/test/dev/fresh-clone.ts'
import { checkTarballs } from './check-tarballs.ts'
import { publishTarballs, requireWorkflow } from './publish.ts'
import { ask } from './run.ts'
import { commitVersion, isTagged, requireClean, tagCommit } from './tag.ts'
import { tryTarballs } from './try-tarballs.ts'
import { makeVersion } from './version.ts'
import { inPublishOrder, readWorkspaces, tarballName, theVersion, type Manifest } from './workspaces.ts'

const HELP = `npm run release              version, changelog, tarballs, checks, trial, commit and tag
npm run release -- --dry-run the same in a clone of the last commit; nothing here changes, no tag
npm run release -- --publish in the workflow, on a tagged commit: tarballs, checks, trial, npm publish`

const repository = fileURLToPath(new URL('../../', import.meta.url))
const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(HELP)
else {
  if (values['dry-run'] && values.publish) throw new Error('Choose --dry-run or --publish.')
  const folder = await makeDataDir()
  try {
    if (values['dry-run']) await dryRun(folder)
    else if (values.publish) await publish(folder)
    else await release(folder)
  } finally {
    await removeDataDir(folder)
  }
}

async function release(folder: string): Promise<void> {
  await requireClean(repository)
  const version = await step('version', () => makeVersion(repository))
  await step('commit', () => commitVersion(repository, version))
  await makeTarballs(repository, folder)
  await step('tag', () => tagCommit(repository, version))
  console.log(`\nPush it, and the workflow publishes: git push origin main v${version}`)
}

async function dryRun(folder: string): Promise<void> {
  const root = await step('clone', () => cloneRepository(folder))
  await step('install', () => installPackages(root))
  const version = await step('version', () => makeVersion(root))
  const { manifests } = await makeTarballs(root, folder)
  console.log(`\nNot done, because of --dry-run: the commit, the tag v${version}, and publishing`)
  announce(manifests)
}

async function publish(folder: string): Promise<void> {
  const version = theVersion(await readWorkspaces(repository))
  const { repository: host } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
    repository: { url: string }
  }
  requireWorkflow(process.env, host.url)
  await requireClean(repository)
  if (!(await isTagged(repository, version)))
    throw new Error(`This commit does not have the tag v${version}.`)
  const { out, manifests } = await makeTarballs(repository, folder)
  console.log('\nPublishing')
  announce(manifests)
  await step('publish', () => publishTarballs(out, manifests))
}

async function makeTarballs(root: string, folder: string): Promise<{ out: string; manifests: Manifest[] }> {
  const manifests = inPublishOrder(await readWorkspaces(root))
  const out = join(repository, 'dist', 'release')
  await rm(out, { recursive: true, force: true })
  await step('pack', () => ask(root, process.execPath, 'scripts/pack.ts', '--out', out))
  await step('check', () => checkTarballs(out, manifests))
  await step('trial', async () => console.log(await tryTarballs({ root, out, folder }, manifests)))
  return { out, manifests }
}

function announce(manifests: readonly Manifest[]): void {
  for (const manifest of manifests) {
    console.log(`  ${manifest.name}@${manifest.version} (dist/release/${tarballName(manifest)})`)
  }
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  console.log(`ok ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`)
  return result
}

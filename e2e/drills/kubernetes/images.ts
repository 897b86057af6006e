import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DrillSettings } from '../drill.ts'
import { requireProgram, type Need } from '../needs.ts'
import type { Cluster } from './cluster.ts'
import { POSTGRES_IMAGE } from './database.ts'
import { NEXT, type Journey } from './journey.ts'
import { PAUSE_IMAGE } from './node-config.ts'

/** Besides what get-kubernetes.sh builds. */
export const TOOLS: readonly Need[] = [
  { program: 'buildah', debian: 'buildah' },
  { program: 'podman', debian: 'podman' },
  { program: 'mmdebstrap', debian: 'mmdebstrap' },
  { program: 'strip', debian: 'binutils' },
  { program: 'nft', debian: 'nftables' },
  { program: 'ip', debian: 'iproute2' },
  { program: 'openssl', debian: 'openssl' },
  { program: 'curl', debian: 'curl' },
  { program: 'ptp', debian: 'containernetworking-plugins', folders: ['/usr/lib/cni'] },
]

/** Linked statically: all that the image of a pod's first process contains. */
export const BUSYBOX: Need = { program: 'busybox', debian: 'busybox-static' }

/** Where get-kubernetes.sh has put the programs. */
export function requirePrograms(): string {
  const folder = join(process.env['SKEIN_KUBERNETES_DIR'] ?? '', 'bin')
  if (!existsSync(join(folder, 'kubectl')))
    throw new Error(
      'Set SKEIN_KUBERNETES_DIR to a folder, and run e2e/drills/kubernetes/get-kubernetes.sh once to build Kubernetes there.',
    )
  return folder
}

/** The service's images by the page, and what stands in for images that a registry would have. */
export async function buildImages(journey: Journey, { root, folder }: DrillSettings): Promise<void> {
  await journey.follow('images')
  await journey.trustOurCertificates()
  await journey.follow('agents')
  build(['--network', 'host', '--build-arg', 'BASE=localhost/skein-debian:build', '--tag', POSTGRES_IMAGE], {
    context: join(root, 'e2e/deploy/postgres'),
  })
  const context = join(folder, 'pause')
  mkdirSync(context)
  copyFileSync(requireProgram(BUSYBOX), join(context, 'busybox'))
  const lines = ['FROM scratch', 'COPY busybox /busybox', 'ENTRYPOINT ["/busybox", "sleep", "2147483647"]']
  writeFileSync(join(context, 'Containerfile'), lines.join('\n'))
  build(['--tag', PAUSE_IMAGE], { context })
}

function build(options: readonly string[], { context }: { context: string }): void {
  const env = { BUILDAH_ISOLATION: 'chroot', ...process.env }
  execFileSync('buildah', ['build', '--quiet', '--layers', ...options, context], { env, stdio: 'pipe' })
}

/** In place of a registry. */
export async function loadImages(cluster: Cluster): Promise<void> {
  const server = 'localhost/skein-server'
  for (const image of [PAUSE_IMAGE, POSTGRES_IMAGE, `${server}:0.0.0`, 'localhost/skein-runner-agents:0.0.0'])
    await cluster.load(image)
  // The upgrade is to the same program under another name.
  await cluster.tag(`${server}:0.0.0`, `${server}:${NEXT}`)
}

import { startSimulator } from '@skein/simulator'
import type { Drill } from '../drill.ts'
import { Cluster } from './cluster.ts'
import { installDatabase } from './database.ts'
import { BUSYBOX, buildImages, loadImages, requirePrograms, TOOLS } from './images.ts'
import { Journey, type Service } from './journey.ts'
import { runAgent } from './agent.ts'
import { changeUnderLoad } from './changes.ts'
import { startGitHost } from './git-host.ts'
import { HOST } from './node-config.ts'
import { measurePods } from './pods.ts'

export const kubernetes: Drill = {
  summary:
    'the chart on a real Kubernetes, by the commands of its page: no request fails in upgrades and evictions',
  needs: [...TOOLS, BUSYBOX],
  planted: 'servers stop without a delay',
  async run(settings) {
    const { root, folder, print } = settings
    const programs = requirePrograms()
    const journey = new Journey({ root, folder, programs, print })
    try {
      await journey.measure('images', () => buildImages(journey, settings))
      const cluster = await journey.measure('cluster', () => Cluster.start({ programs, folder }))
      try {
        await journey.measure('load images', () => loadImages(cluster))
        const database = await journey.measure('database', () => installDatabase(cluster, root))
        const service = await journey.install(cluster, database, settings.isPlanted)
        const agent = await finishAgent(cluster, service, journey, folder)
        const pods = await measurePods(cluster)
        const changes = await changeUnderLoad({ settings, cluster, service, journey, database })
        await journey.uninstall(cluster, settings.report)
        return { steps: journey.seconds, agent, pods, ...changes }
      } finally {
        await cluster.stop()
      }
    } finally {
      journey.end()
    }
  },
}

/** With a model and a git host on this machine, which pods can reach. */
async function finishAgent(
  cluster: Cluster,
  service: Service,
  journey: Journey,
  folder: string,
): Promise<object> {
  const model = await startSimulator({ host: HOST })
  const git = await startGitHost(folder, HOST)
  try {
    await journey.installRunners(cluster, model.url)
    return await journey.measure('agent', () => runAgent(service, git))
  } finally {
    git.close()
    await model.close()
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { prepareDatabase } from '../crash/installation/database.ts'
import type { Drill, DrillSettings, Figures } from './drill.ts'
import { installAround } from './installation.ts'
import { underLoad } from './load.ts'
import { HAPROXY } from './needs.ts'
import { ETCD, PATRONI, PatroniCluster } from './patroni.ts'
import { POSTGRES } from './postgres-programs.ts'

const LOAD_MS = 10_000
/** The standby hears nothing for this long before the leader is gone. */
const SILENT_MS = 2_000
/** Patroni's time to live of a leader is 20 seconds; then the standby is promoted and the balancer must notice. */
const GAP_MS = 45_000

export const failover: Drill = {
  summary: 'the primary of a Patroni cluster is killed: the standby takes over, nothing acknowledged is lost',
  needs: [HAPROXY, POSTGRES, PATRONI, ETCD],
  planted: 'no synchronous_mode',
  async run(settings) {
    const cluster = await PatroniCluster.start(settings, { isSynchronous: !settings.isPlanted })
    try {
      return await failOver(settings, cluster)
    } finally {
      await cluster.stop()
    }
  },
}

async function failOver(settings: DrillSettings, cluster: PatroniCluster): Promise<Figures> {
  const { root, report } = settings
  const ownerUrl = cluster.url
  const database = { ...(await prepareDatabase(ownerUrl, root)), ownerUrl }
  const installation = await installAround(settings, database)
  try {
    let rejoinMs = 0
    const figures = await underLoad(settings, installation, async () => {
      await pause(LOAD_MS)
      const former = cluster.leader
      if (former === undefined) throw new Error('The cluster has no primary')
      await former.lose(SILENT_MS)
      await cluster.untilReplaced(former)
      await pause(LOAD_MS)
      const startedAt = performance.now()
      former.start()
      await cluster.untilComplete()
      rejoinMs = Math.round(performance.now() - startedAt)
      await pause(LOAD_MS / 2)
    })
    const { longestGapMs } = figures
    const late = Number(longestGapMs) > GAP_MS ? [`${String(longestGapMs)} ms`] : []
    report.check('wrong', `callers got answers again within ${GAP_MS} ms`, 1, late)
    return { rejoinMs, ...figures }
  } finally {
    await installation.stop()
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'

/** The kubelet measures every few seconds. */
const REST_MS = 20_000

export interface Pod {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly deletionTimestamp?: string
  }
  readonly spec: { readonly containers: readonly { readonly image: string }[] }
  readonly status: {
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly lastTransitionTime: string
    }[]
    readonly containerStatuses?: readonly {
      readonly restartCount: number
      readonly state: { readonly running?: { readonly startedAt: string } }
    }[]
  }
}

interface Summary {
  readonly pods: readonly {
    readonly podRef: { readonly name: string }
    readonly memory?: { readonly workingSetBytes?: number; readonly rssBytes?: number }
  }[]
}

export async function listPods(cluster: Cluster, namespace: string, component: string): Promise<Pod[]> {
  const selector = `app.kubernetes.io/component=${component}`
  const { items } = await cluster.get<{ items: Pod[] }>('pods', '-n', namespace, '--selector', selector)
  return items
}

export const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True')

/** Start to ready, and memory at rest, of a server and a runner. */
export async function measurePods(cluster: Cluster): Promise<Record<string, object>> {
  await pause(REST_MS)
  const text = await cluster.kubectl('get', '--raw', '/api/v1/nodes/node/proxy/stats/summary')
  const summary = JSON.parse(text) as Summary
  const figures: Record<string, object> = {}
  for (const [component, namespace] of [
    ['server', 'skein'],
    ['runner', 'skein-runners'],
  ] as const) {
    const pods = await listPods(cluster, namespace, component)
    figures[component] = {
      readySeconds: Math.max(...pods.map(secondsToReady)),
      memoryMib: Math.max(...pods.map((pod) => memoryOf(summary, pod))),
    }
  }
  return figures
}

/** From the start of the container. Kubernetes rounds both times to seconds. */
function secondsToReady({ status }: Pod): number {
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? ''
  const started = status.containerStatuses?.[0]?.state.running?.startedAt ?? ''
  return (Date.parse(ready) - Date.parse(started)) / 1000
}

function memoryOf({ pods }: Summary, { metadata }: Pod): number {
  const memory = pods.find(({ podRef }) => podRef.name === metadata.name)?.memory
  return Math.round((memory?.workingSetBytes ?? 0) / 1024 / 1024)
}

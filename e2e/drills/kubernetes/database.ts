import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from './cluster.ts'

export const POSTGRES_IMAGE = 'localhost/skein-postgres:drill'

const METADATA = { name: 'postgres', namespace: 'database' }

export interface DatabaseUrls {
  readonly owner: string
  readonly server: string
}

/** PostgreSQL in a pod, with the two logins. Its data is lost with the pod: what is tried here is the service. */
export async function installDatabase(cluster: Cluster, root: string): Promise<DatabaseUrls> {
  const passwords = { owner: randomBytes(16).toString('hex'), app: randomBytes(16).toString('hex') }
  await cluster.kubectl('create', 'namespace', 'database')
  await cluster.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: METADATA,
    stringData: { 'owner-password': passwords.owner, 'app-password': passwords.app },
  })
  await cluster.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: METADATA,
    data: { 'roles.sql': readFileSync(join(root, 'deploy/compose/roles.sql'), 'utf8') },
  })
  await cluster.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: METADATA,
    spec: { selector: { app: 'postgres' }, ports: [{ port: 5432 }] },
  })
  await cluster.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...METADATA, labels: { app: 'postgres' } },
    spec: {
      // It would be mounted below /run/secrets too.
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'postgres',
          image: POSTGRES_IMAGE,
          // Without waiting for a disk that others use: a commit that takes seconds makes servers refuse requests.
          args: ['postgres', '-c', 'max_connections=200', '-c', 'fsync=off'],
          env: [
            { name: 'POSTGRES_USER', value: 'skein_owner' },
            { name: 'POSTGRES_DB', value: 'skein' },
            { name: 'POSTGRES_PASSWORD_FILE', value: '/run/secrets/owner-password' },
          ],
          // A pod without requests gets next to nothing as soon as the servers are busy, and they wait for it.
          resources: { requests: { cpu: '400m', memory: '256Mi' } },
          readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
          volumeMounts: [
            { name: 'secrets', mountPath: '/run/secrets' },
            { name: 'roles', mountPath: '/docker-entrypoint-initdb.d' },
            { name: 'data', mountPath: '/var/lib/postgresql' },
          ],
        },
      ],
      volumes: [
        { name: 'secrets', secret: { secretName: 'postgres' } },
        { name: 'roles', configMap: { name: 'postgres' } },
        { name: 'data', emptyDir: {} },
      ],
    },
  })
  await cluster.kubectl('-n', 'database', 'wait', '--for=condition=Ready', 'pod/postgres', '--timeout=120s')
  // By address: this machine does not ask the cluster's DNS.
  const service = await cluster.get<{ spec: { clusterIP: string } }>('service/postgres', '-n', 'database')
  const url = (user: string, password: string): string =>
    `postgres://${user}:${password}@${service.spec.clusterIP}/skein`
  return { owner: url('skein_owner', passwords.owner), server: url('skein_app', passwords.app) }
}

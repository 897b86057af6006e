import { randomBytes } from 'node:crypto'
import {
  AuditFeed,
  AuditTrail,
  ChangeFeed,
  EngineEvents,
  IdentityProviders,
  OnlinePools,
  RunnerNotes,
  RunPlaces,
  SchemaChecker,
  SegmentObjects,
  TriggerRules,
  SharedClaims,
  SharedReads,
  TeamDirectory,
  KeyedMutex,
  Vault,
  Wakeups,
  type EngineResources,
} from '@skein/engine'
import {
  agentsChangedSince,
  Database,
  DatabaseClock,
  Reads,
  StatusReader,
  type DatabaseObserver,
} from '@skein/store'
import { openBlobStore, type BlobStore } from '@skein/host/blobs'
import { OutboundAddresses, parseAllowedReceivers } from './automations/outbound-addresses.ts'
import { OutboundFetch } from './automations/outbound-fetch.ts'
import { installationCeiling, masterKeys, type Config } from './config.ts'

/** Together with the waits for a connection and a lock, shorter than our clients' timeout of 30 seconds. */
const MUTEX_LIMITS = { maxWaitMs: 10_000, maxWaiting: 1_000 }

/** The engine's real resources: the database, its clock and the system's randomness. */
export function openResources(
  config: Config,
  connectionString: string,
  observer?: DatabaseObserver,
): EngineResources & { readonly clock: DatabaseClock } {
  const database = new Database({
    connectionString,
    listenConnectionString: config.SKEIN_LISTEN_DATABASE_URL || connectionString,
    maxConnections: config.SKEIN_DATABASE_CONNECTIONS,
    applicationName: 'skein-server',
    connectMs: config.SKEIN_DATABASE_CONNECT_MS,
    ...(observer && { observer }),
  })
  const clock = new DatabaseClock(database)
  const events = new EngineEvents()
  const replica =
    config.SKEIN_READ_DATABASE_URL === ''
      ? undefined
      : new Database({
          connectionString: config.SKEIN_READ_DATABASE_URL,
          maxConnections: config.SKEIN_DATABASE_CONNECTIONS,
          applicationName: 'skein-server-reads',
          connectMs: config.SKEIN_DATABASE_CONNECT_MS,
          ...(observer && { observer }),
        })
  return {
    database,
    reads: new Reads(database, {
      replica,
      maxLagMs: config.SKEIN_READ_MAX_LAG_SECONDS * 1000,
      onRead: (from) => events.emit({ type: 'read', from }),
    }),
    events,
    wakeups: new Wakeups(
      database.notifications,
      (agentIds, withinMs) =>
        database.statement((transaction) =>
          agentsChangedSince(transaction, agentIds, clock.now() - withinMs),
        ),
      (lagMs) => events.emit({ type: 'wake-up-returned', lagMs }),
    ),
    teams: new TeamDirectory(database),
    auditTrail: new AuditTrail(database),
    onlinePools: new OnlinePools(database),
    runnerNotes: new RunnerNotes(database),
    statusReader: new StatusReader(database),
    sharedLists: new SharedReads(),
    sharedTimelines: new SharedReads(),
    changeFeed: new ChangeFeed(database),
    auditFeed: new AuditFeed(database),
    claimMutex: new KeyedMutex(MUTEX_LIMITS),
    sharedClaims: new SharedClaims(),
    treeMutex: new KeyedMutex(MUTEX_LIMITS),
    runPlaces: new RunPlaces(),
    schemas: new SchemaChecker(),
    triggerRules: new TriggerRules(),
    identityProviders: new IdentityProviders(
      new OutboundFetch(new OutboundAddresses(parseAllowedReceivers(config.SKEIN_OUTBOUND_ALLOW)), {
        proxy: config.SKEIN_OUTBOUND_PROXY,
      }),
    ),
    signInOrg: config.SKEIN_SIGN_IN_ORG,
    publicUrl: config.SKEIN_PUBLIC_URL.replace(/\/$/, ''),
    ceiling: installationCeiling(config),
    signInsPerMinute: config.SKEIN_SIGN_INS_PER_MINUTE,
    leaseMs: config.SKEIN_LEASE_MS,
    sessionRetentionMs: config.SKEIN_SESSION_RETENTION_DAYS * 86_400_000,
    vault: new Vault(masterKeys(config)),
    segments: new SegmentObjects(openBlobs(config), config.SKEIN_CELL, events),
    clock,
    random: { bytes: (length) => randomBytes(length) },
    cell: config.SKEIN_CELL,
  }
}

/** Undefined if old events stay in the database. */
function openBlobs({ SKEIN_BLOBS: address }: Config): BlobStore | undefined {
  return address === '' ? undefined : openBlobStore({ setting: 'SKEIN_BLOBS', address })
}

/** Everything that `openResources` opened, and what was started of it. */
export async function closeResources(engine: EngineResources): Promise<void> {
  await engine.wakeups.stop()
  await engine.schemas.close()
  await engine.triggerRules.close()
  engine.identityProviders.close()
  await engine.reads.replica?.close()
  await engine.database.close()
}

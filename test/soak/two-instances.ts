/** Two instances of the API and two PostgreSQL servers behind HAProxy. */
import { SQL } from 'bun'
import { type PostgresCluster, postgresBinaries, startCluster } from '../crash/postgres-cluster.ts'
import { type CrashWorld, startWorld, stopWorld } from '../crash/rounds.ts'
import { freePort, type RunningApi, startApi } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { haproxyBinary, startHaproxy } from './haproxy.ts'
import { current, type Version } from './versions.ts'

/** The missing program, or null. */
export const missing: string | null =
  postgresBinaries === null ? 'PostgreSQL' : haproxyBinary === null ? 'HAProxy' : null

/** Runs statements on a server, past HAProxy, and returns the rows of the last one. */
export async function query({ url }: Pick<PostgresCluster, 'url'>, ...statements: string[]) {
  const client = new SQL(url, { max: 1 })
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = [...(await client.unsafe(statement))]
    return rows
  } finally {
    await client.close()
  }
}

export interface TwoInstances {
  world: CrashWorld
  instances: [RunningApi, RunningApi]
  primary: PostgresCluster
  /** Copies the primary to a new server, which then confirms each commit. */
  addStandby(): Promise<PostgresCluster>
  /** Starts an instance again, at its former address. The default is the version that it had at first. */
  restart(n: 0 | 1, version?: Version): Promise<void>
  stop(): Promise<void>
}

export interface Options {
  /** Further settings of the instances. */
  env?: Record<string, string>
  /** Whether HAProxy closes the connections to a server that is gone. */
  closesConnections?: boolean
  /** The version of both instances and of the schema. Default: this one. */
  version?: Version
}

/** `fans`: how many fans the load may use. */
export async function startTwoInstances(
  fans: number,
  { env = {}, closesConnections = true, version: first = current }: Options = {},
): Promise<TwoInstances> {
  const tidy: (() => unknown)[] = []
  async function stop() {
    for (const end of tidy.splice(0).toReversed()) await end()
  }
  const cluster = async (options: Parameters<typeof startCluster>[1]) => {
    const started = await startCluster(postgresBinaries ?? '', options)
    tidy.push(() => started.remove())
    return started
  }
  try {
    const servers = [freePort(), freePort()] as const
    const ports = [freePort(), freePort()] as const
    const primary = await cluster({ port: servers[0] })
    await query(primary, 'CREATE ROLE haproxy_check LOGIN')
    const [api, database] = [freePort(), freePort()]
    tidy.push(await startHaproxy({ api, database, instances: ports, servers, closesConnections }))
    const url = `postgres://postgres@127.0.0.1:${database}/postgres`
    await waitUntil('HAProxy finds the primary', () => query({ url }, 'SELECT 1').catch(() => null))
    const origin = `http://127.0.0.1:${api}`
    const instances: RunningApi[] = []
    let settings: Record<string, string> = {}
    const start = (n: 0 | 1, { program }: Version) =>
      startApi({ ...settings, PORT: String(ports[n]) }, program)

    const startBoth = async (worldSettings: Record<string, string>) => {
      const limits = { DRAIN_GRACE_MS: '5000', DATABASE_STATEMENT_TIMEOUT_MS: '5000' }
      settings = { ...worldSettings, TRUSTED_PROXIES: '1', ...limits, ...env }
      instances.push(await start(0, first), await start(1, first))
      tidy.push(() => Promise.all(instances.map(instance => instance.stop('SIGKILL'))))
      await waitUntil('HAProxy finds the instances ready', async () => (await fetch(`${origin}/readyz`)).ok)
      return { origin, stop: async () => 0 }
    }
    const prepare = () => first.run('migrate', url)
    const world = await startWorld(url, fans, { start: startBoth, prepare })
    tidy.push(() => stopWorld(world))
    const two: TwoInstances = {
      world,
      // Guarantee of the cast: both were started above.
      instances: instances as [RunningApi, RunningApi],
      primary,
      async addStandby() {
        const source = `host=127.0.0.1 port=${two.primary.port} user=postgres`
        const standby = await cluster({
          port: servers.find(port => port !== two.primary.port),
          create: (run, data) => run('pg_basebackup', '-D', data, '-R', '-c', 'fast', '-d', source),
        })
        await query(
          two.primary,
          "ALTER SYSTEM SET synchronous_standby_names = '*'",
          'SELECT pg_reload_conf()',
        )
        await waitUntil('the standby confirms commits', async () =>
          (await query(two.primary, 'SELECT sync_state FROM pg_stat_replication')).some(
            ({ sync_state }) => sync_state === 'sync',
          ),
        )
        return standby
      },
      async restart(n, version = first) {
        two.instances[n] = await start(n, version)
      },
      stop,
    }
    return two
  } catch (error) {
    await stop()
    throw error
  }
}

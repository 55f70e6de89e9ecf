/**
 * Citus with schema-based sharding: a schema lies on one node, and `citus_schema_move` takes it to another one. Every node
 * answers for every schema, but only the node itself does so without asking another one. So statements go to that node, and
 * follow the schema; migrations go to DATABASE_URL, the coordinator.
 */
import { withDeadline } from '../deadline.ts'
import { DatabaseError } from '../errors.ts'
import { nameIn } from '../schema/shape.ts'
import { connectPostgres, type PostgresOptions, postgresDefaults } from './connect.ts'

/** Between two questions where the schema lies. Until then another node forwards the statements. Milliseconds. */
const EVERY_MS = 5_000

/** Within a transaction: SET LOCAL then holds at the nodes that its statements reach. PostgreSQL stores it for nobody. */
export const PROPAGATE_SETTINGS = "SET LOCAL citus.propagate_set_commands = 'local'"

type Ask = (text: string) => PromiseLike<Record<string, unknown>[]>

/** Also false on a standby, whose Citus names the nodes of the primary. */
const IS_DISTRIBUTED = `SELECT 1 WHERE to_regclass('pg_catalog.pg_dist_shard') IS NOT NULL AND NOT pg_is_in_recovery()`

/** `coordinator`: the port of the node of the migrations. */
const nodeOf = (schema: string) => `
  SELECT nodename, nodeport, (SELECT nodeport FROM pg_dist_node WHERE groupid = 0 LIMIT 1) AS coordinator
  FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
  WHERE logicalrelid = to_regclass('${nameIn(schema, 'users')}') AND noderole = 'primary'`

/** `url` with the address of the node, or as it is while the schema is on none; null where schemas are not distributed. */
async function askForNode(ask: Ask, url: string, schema: string): Promise<string | null> {
  if ((await ask(IS_DISTRIBUTED)).length === 0) return null
  const [node] = await ask(nodeOf(schema))
  if (!node) return url
  const address = new URL(url)
  address.hostname = String(node.nodename)
  // Another port is that of a pooler, which each node has.
  if (Number(address.port || 5432) === Number(node.coordinator)) address.port = String(node.nodeport)
  return address.href
}

/** On a connection of its own. */
async function askAt(url: string, settings: PostgresOptions, schema: string): Promise<string | null> {
  await using client = connectPostgres(url, { ...settings, poolSize: 1 })
  // A pooler in transaction mode keeps no prepared statements.
  return await askForNode(text => client.unsafe(text).simple(), url, schema)
}

/** The URL of the node on which the schema of the settings lies; `url` itself where schemas are not distributed. */
export async function findNode(url: string, settings: PostgresOptions = {}): Promise<string> {
  const { schema = null } = settings
  return (schema === null ? null : await askAt(url, settings, schema)) ?? url
}

export interface FollowedSchema {
  /** Resolves when `use` has been called, if it has to be. @throws the error of the connection */
  found(): Promise<void>
  stop(): void
}

interface Following {
  settings: PostgresOptions
  /** Asks the node that is used now. */
  ask: Ask
  /** Called with the URL of the node, unless it is that of the settings, and when the schema has moved. */
  use: (url: string) => void
}

/** Follows the schema from node to node; null: there is none to follow. */
export function followSchema(url: string, { settings, ask, use }: Following): FollowedSchema | null {
  const { connectTimeoutMs = postgresDefaults.connectTimeoutMs } = settings
  if (settings.schema == null) return null
  const schema: string = settings.schema
  let finding: Promise<void> | undefined
  let used = url
  let timer: NodeJS.Timeout | undefined

  const inTime: Ask = text =>
    withDeadline(ask(text), connectTimeoutMs, () => new DatabaseError('unreachable'))

  function follow(node: string) {
    if (node === used) return
    used = node
    use(node)
  }

  async function find() {
    const node = await askAt(url, settings, schema)
    if (node === null) return
    follow(node)
    timer = setInterval(poll, EVERY_MS).unref()
  }

  /** A node that answers no more may have given the schema away: then the coordinator knows. */
  async function poll() {
    const node = await askForNode(inTime, url, schema)
      .catch(() => askAt(url, settings, schema))
      .catch(() => null)
    if (node !== null && timer) follow(node)
  }

  return {
    found: () =>
      (finding ??= find().catch(error => {
        finding = undefined
        throw error
      })),
    stop() {
      clearInterval(timer)
      timer = undefined
    },
  }
}

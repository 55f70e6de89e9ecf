/** The way to the node of a schema, with the tables by which Citus tells it, and relays in place of nodes. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Database, openDatabase } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { countRows } from '../../db/pages.ts'
import { findNode } from '../../db/postgres/schema-node.ts'
import { realSources } from '../../src/core/sources.ts'
import { createClock } from '../support/clock.ts'
import { noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { type Relay, startRelay } from '../support/relay.ts'
import { waitUntil } from '../support/wait-until.ts'
import { insertTeam, type Run, withRawConnection } from './probe.ts'

const SCHEMA = 'harbour'
const settings = { schema: SCHEMA, poolSize: 3 }

/** As in a database of Citus: only its own catalogue is trusted, so the tables are there. */
const CATALOGUE = `
  SET allow_system_table_mods = on;
  CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint);
  CREATE TABLE pg_catalog.pg_dist_placement (shardid bigint, groupid integer);
  CREATE TABLE pg_catalog.pg_dist_node (groupid integer, nodename text, nodeport integer, noderole text);`
const WITHOUT_CATALOGUE = `
  SET allow_system_table_mods = on;
  DROP TABLE IF EXISTS pg_catalog.pg_dist_shard, pg_catalog.pg_dist_placement, pg_catalog.pg_dist_node`

const suite = noServer === '' ? describe : describe.skip
suite(`A schema on a node of Citus (PostgreSQL)${noServer}`, () => {
  let temporary: TemporaryDatabase
  let url: string
  let nodes: [Relay, Relay]
  let db: Database | undefined

  beforeEach(async () => {
    temporary = await postgresEngine.open(createClock())
    url = temporary.url ?? ''
    await migrate(url, settings)
    nodes = [startRelay(new URL(url)), startRelay(new URL(url))]
  })
  afterEach(async () => {
    await db?.close()
    for (const node of nodes) node.cut()
    await withRawConnection(temporary, async run => {
      for (const statement of WITHOUT_CATALOGUE.split(';')) await run(statement)
      await run(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`)
    })
    await temporary.remove()
  })

  const portOf = (address: string) => Number(new URL(address).port || 5432)

  async function distribute(run: Run, coordinator = portOf(url)) {
    for (const statement of CATALOGUE.split(';')) await run(statement)
    await run(`INSERT INTO pg_dist_shard VALUES ('${SCHEMA}.users', 7)`)
    await run('INSERT INTO pg_dist_placement VALUES (7, 1)')
    await run(`INSERT INTO pg_dist_node VALUES (0, '127.0.0.1', ${coordinator}, 'primary')`)
    for (const [n, { port }] of nodes.entries())
      await run(`INSERT INTO pg_dist_node VALUES (${n + 1}, '127.0.0.1', ${port}, 'primary')`)
  }

  test('is at the address of the settings without Citus, or while it is not distributed', async () => {
    expect(await findNode(url, settings)).toBe(url)
    await withRawConnection(temporary, async run => {
      await distribute(run)
      await run('DELETE FROM pg_dist_shard')
    })
    expect(await findNode(url, settings)).toBe(url)
  })

  test('is behind the pooler of its node, at the port that all poolers have', async () => {
    await withRawConnection(temporary, run => distribute(run, portOf(url) + 1))
    const node = new URL(await findNode(url, settings))
    expect([node.hostname, portOf(node.href)]).toEqual(['127.0.0.1', portOf(url)])
  })

  test('is followed to another node, without an error, also when the first one is gone', async () => {
    const commits: string[] = []
    await withRawConnection(temporary, async run => {
      await distribute(run)
      expect(portOf(await findNode(url, settings))).toBe(nodes[0].port)
      const opened = openDatabase(url, realSources, { postgres: settings })
      db = opened
      const commit = async () => {
        const id = `team-${commits.length}`
        await opened.write(tx => insertTeam(tx, id))
        commits.push(id)
      }
      await commit()
      // The catalogue is that of one server here: each node tells the same.
      await run('UPDATE pg_dist_placement SET groupid = 2')
      await waitUntil('statements go to the other node', async () => {
        await commit()
        return nodes[1].connections() > 0 && nodes[0].connections() === 0
      })
      nodes[0].cut()
      await commit()
      // A node that is lost with its place: the coordinator knows where the schema is now.
      nodes[0].mend()
      await run('UPDATE pg_dist_placement SET groupid = 1')
      nodes[1].cut()
      await waitUntil('the first node serves again', () =>
        commit().then(
          () => true,
          () => false,
        ),
      )
      expect(nodes[0].connections()).toBeGreaterThan(0)
      expect(await countRows(opened.read, opened.tables.teams)).toBe(commits.length)
    })
  })
})

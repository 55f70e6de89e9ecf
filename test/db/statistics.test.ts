/** PostgreSQL only: statements that were planned on small tables, after a command has written many rows. */
import { expect, test } from 'bun:test'
import { refreshStatistics } from '../../db/statistics.ts'
import { writeInBatches } from '../../scripts/command/batches.ts'
import { createClock } from '../support/clock.ts'
import { noServer, postgresEngine } from '../support/engines.ts'
import { insertTeam, withRawConnection } from './probe.ts'

const teams = Array.from({ length: 3_000 }, (_, at) => `team-${at}`)

test.skipIf(noServer !== '')(
  `a statement that was planned on an empty table uses the index after a command has filled it (PostgreSQL)${noServer}`,
  async () => {
    const temporary = await postgresEngine.open(createClock())
    const { db } = temporary
    await withRawConnection(temporary, async run => {
      // The server itself switches to one generic plan after five executions.
      await run('SET plan_cache_mode = force_generic_plan')
      // An earlier test may have left empty pages.
      await run('VACUUM ANALYZE teams')
      await run('PREPARE find_team(text) AS SELECT name FROM teams WHERE id = $1')
      const plan = async () => JSON.stringify(await run("EXPLAIN EXECUTE find_team('team-7')"))
      expect(await plan()).toContain('Seq Scan')
      await writeInBatches(db, teams, insertTeam, { exclusive: true })
      expect(await plan()).toContain('Index Scan')
      await run('RESET plan_cache_mode')
    })
    // No table has grown since.
    expect(await refreshStatistics(db)).toEqual([])
    await temporary.remove()
  },
)

test.skipIf(noServer !== '')(
  `small tables are not analyzed, since that would favour sequential scans (PostgreSQL)${noServer}`,
  async () => {
    const temporary = await postgresEngine.open(createClock())
    await withRawConnection(temporary, async run => {
      const ofTeams = "WHERE oid = 'teams'::regclass"
      // As for a table that was never analyzed: the server may have done so after an earlier test.
      await run(`UPDATE pg_class SET reltuples = -1 ${ofTeams}`)
      await writeInBatches(temporary.db, teams.slice(0, 20), insertTeam)
      expect(await run(`SELECT reltuples FROM pg_class ${ofTeams}`)).toEqual([{ reltuples: -1 }])
    })
    await temporary.remove()
  },
)

/** Runs of the tests on one PostgreSQL server, of which none empties a database of another. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { insertTeam, teamExists } from './db/probe.ts'
import { createClock } from './support/clock.ts'
import { noServer, postgresEngine } from './support/engines.ts'
import { root } from './support/executable.ts'

/** Takes a database as tests do, writes its name, and keeps it until its input ends. */
const TAKER = `
  const { databasesOf } = await import('./test/support/server-databases.ts')
  const { url, release } = await databasesOf(process.env.TEST_POSTGRES_URL)()
  console.log(new URL(url).pathname.slice(1))
  await Bun.stdin.text()
  await release()
  process.exit()`

function startTaker(url: string) {
  return Bun.spawn([process.execPath, '-e', TAKER], {
    cwd: root,
    env: { ...process.env, TEST_POSTGRES_URL: url },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
}

describe.skipIf(noServer !== '')(`The databases of concurrent runs (PostgreSQL)${noServer}`, () => {
  const server = process.env.TEST_POSTGRES_URL ?? ''
  const other = `matchday_other_${process.pid}`
  let admin: SQL

  beforeAll(async () => {
    admin = new SQL(server, { max: 1 })
    await admin.unsafe(`DROP DATABASE IF EXISTS ${other} WITH (FORCE)`)
    await admin.unsafe(`CREATE DATABASE ${other}`)
  })
  afterAll(async () => {
    await admin.unsafe(`DROP DATABASE ${other} WITH (FORCE)`)
    await admin.close()
  })

  test('are different, also if their URLs name different databases', async () => {
    const { db, url, remove } = await postgresEngine.open(createClock())
    await db.write(tx => insertTeam(tx, 'mine'))
    const elsewhere = new URL(server)
    elsewhere.pathname = `/${other}`
    const takers = [server, server, elsewhere.href].map(startTaker)
    const taken: string[] = []
    for (const { stdout } of takers) {
      const { value } = await stdout.getReader().read()
      taken.push(new TextDecoder().decode(value).trim())
    }
    expect(new Set([new URL(url ?? '').pathname.slice(1), ...taken]).size).toBe(4)
    expect(await teamExists(db, 'mine')).toBe(true)
    for (const { stdin } of takers) await stdin.end()
    expect(await Promise.all(takers.map(({ exited }) => exited))).toEqual([0, 0, 0])
    await remove()
    // Another run has no use for what belongs to the URL of this test.
    const copied = taken[2] ?? ''
    const template = copied.replace('_test_', '_template_').replace(/_+\d+$/, '')
    for (const name of [copied, template]) await admin.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
  })
})

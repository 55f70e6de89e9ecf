/** An archive and a live move of one database: whichever begins first, the other one is refused. */
import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { follow, isFollowed, requireUnfollowed, unfollow } from '../../scripts/move/changes.ts'
import { archiveAlone, isArchiving } from '../../src/operate/admin/archive/archive-run.ts'
import { restoreFan } from '../../src/operate/admin/archive/restore-fan.ts'
import { DEAD_MS } from '../../src/platform/jobs/runs.ts'
import { addFan, addRule } from '../economy/rules/rules-world.ts'
import { archive, DAY, happen, rowsOf } from '../operate/admin/archive/archive-world.ts'
import { createClock } from '../support/clock.ts'
import { type Engine, engines } from '../support/engines.ts'
import { commandOf, root } from '../support/executable.ts'
import { readLines } from '../support/read-lines.ts'

const ROUNDS = 6

/** A process that begins at the first `next`, and ends at the second one. */
function startProcess(url: string, role: 'archive' | 'move') {
  const child = Bun.spawn([...commandOf('test/scripts/archive-or-move-process.ts'), url, role], {
    cwd: root,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines = readLines(child.stdout)[Symbol.asyncIterator]()
  const read = async () => String((await lines.next()).value)
  const next = () => {
    child.stdin.write('next\n')
    void child.stdin.flush()
    return read()
  }
  const end = () => {
    void child.stdin.end()
    return child.exited
  }
  return { read, next, end }
}

async function opened(engine: Engine) {
  const clock = createClock()
  const { db, url, remove } = await engine.open(clock)
  return { clock, db, url: url ?? '', [Symbol.asyncDispose]: async () => void (await remove()) }
}

for (const engine of engines) {
  test(`one of two processes that begin at the same time runs (${engine.name})`, async () => {
    await using world = await opened(engine)
    const { db, url } = world
    const both = [startProcess(url, 'archive'), startProcess(url, 'move')] as const
    expect(await Promise.all(both.map(({ read }) => read()))).toEqual(['ready', 'ready'])
    for (let round = 0; round < ROUNDS; round++) {
      const [archiving, moving] = await Promise.all(
        (round % 2 === 0 ? both : both.toReversed()).map(({ next }) => next()),
      ).then(told => (round % 2 === 0 ? told : told.toReversed()))
      expect([
        'began | An archive of this database is running: move when it has ended.',
        'A live move follows this database: complete it, or end it with --abort. | began',
      ]).toContain(`${archiving} | ${moving}`)
      expect(await isFollowed(db)).toBe(moving === 'began')
      expect(await Promise.all(both.map(({ next }) => next()))).toEqual(['ended', 'ended'])
    }
    expect(await Promise.all(both.map(({ end }) => end()))).toEqual([0, 0])
  }, 120_000)

  test(`a live move ends an archive and a restore that have been silent for a minute (${engine.name})`, async () => {
    await using world = await opened(engine)
    const { clock, db } = world
    const { eventType: type } = await addRule({ db })
    const userId = await addFan({ db })
    for (let n = 0; n < 2; n++) await happen(db, { userId, type })
    clock.advance(70 * DAY)
    const folder = mkdtempSync(join(tmpdir(), 'archive-'))
    expect(await archive(db, folder)).toBe(1)
    const archived = await rowsOf(db)
    const silent = archiveAlone(
      db,
      tx => requireUnfollowed(db, tx),
      async run => {
        clock.advance(DEAD_MS + 1)
        expect(await isArchiving(db.read)).toBe(false)
        await follow(db, 'target')
        return restoreFan(db, folder, userId, run)
      },
    )
    await expect(silent).rejects.toThrow('declared dead')
    expect(await rowsOf(db)).toEqual(archived)
    await unfollow(db)
  })
}

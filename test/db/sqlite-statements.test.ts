/** Snapshots shared by a turn of the event loop, and commits of others counted before each. */
import { expect, test } from 'bun:test'
import { connectSqlite } from '../../db/sqlite-connection.ts'
import { shareTurns } from '../../db/sqlite-statements.ts'
import { temporaryFile } from '../crash/rounds.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))

async function withConnections(
  use: (of: Record<'reader' | 'writer' | 'other', ReturnType<typeof connectSqlite>>) => Promise<void>,
) {
  const { url, remove } = await temporaryFile()
  const path = url.slice('sqlite:'.length)
  const [reader, writer, other] = [connectSqlite(path), connectSqlite(path), connectSqlite(path)]
  writer.run('CREATE TABLE notes (text TEXT NOT NULL)')
  try {
    await use({ reader, writer, other })
  } finally {
    for (const connection of [reader, writer, other]) connection.close()
    remove()
  }
}

test('reads of one turn see one state, those of the next what others have committed, and that it was so', async () => {
  await withConnections(async ({ reader, writer, other }) => {
    const turns = shareTurns(reader, writer)
    const count = () => {
      turns.beforeRead()
      return reader.query('SELECT count(*) AS found FROM notes').values()[0]?.[0]
    }
    expect([count(), turns.foreignCommits()]).toEqual([0, 0])
    other.run("INSERT INTO notes VALUES ('of another')")
    expect([count(), turns.foreignCommits()]).toEqual([0, 0])
    await turn()
    expect([turns.foreignCommits(), count()]).toEqual([1, 1])
    writer.run("INSERT INTO notes VALUES ('our own')")
    turns.release()
    expect(count()).toBe(2)
    await turn()
    expect(turns.foreignCommits()).toBe(1)
  })
})

test('a snapshot that SQLite gave up by itself ends like any other: the next turn reads and counts', async () => {
  await withConnections(async ({ reader, writer, other }) => {
    const turns = shareTurns(reader, writer)
    turns.beforeRead()
    // As after a damaged page.
    reader.run('ROLLBACK')
    await turn()
    other.run("INSERT INTO notes VALUES ('of another')")
    expect(turns.foreignCommits()).toBe(1)
    turns.beforeRead()
    expect(reader.query('SELECT text FROM notes').values()).toEqual([['of another']])
    await turn()
    expect(reader.inTransaction).toBe(false)
  })
})

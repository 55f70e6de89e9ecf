/**
 * A process that begins an archive or a live move: `bun archive-or-move-process.ts DATABASE_URL archive|move`. At each line of its input it begins,
 * and ends at the next one. Prints a line after each of them.
 */

import { follow, requireUnfollowed, unfollow } from '../../scripts/move/changes.ts'
import { realSources } from '../../src/core/sources.ts'
import { archiveAlone } from '../../src/operate/admin/archive/archive-run.ts'
import { openPatiently, smallPool } from '../support/patience.ts'
import { readLines } from '../support/read-lines.ts'

const [url = '', role] = process.argv.slice(2)
const db = openPatiently(url, realSources, { postgres: { poolSize: Number(smallPool.DATABASE_POOL_SIZE) } })
const lines = readLines(Bun.stdin.stream())[Symbol.asyncIterator]()
const print = (line: string) => process.stdout.write(`${line}\n`)

async function archive() {
  await archiveAlone(
    db,
    tx => requireUnfollowed(db, tx),
    async ({ hold }) => {
      print('began')
      await lines.next()
      await db.write(hold)
    },
  )
}

async function move() {
  await follow(db, 'target')
  print('began')
  await lines.next()
  await unfollow(db)
}

// The connections are open.
await requireUnfollowed(db)
print('ready')
while (!(await lines.next()).done)
  try {
    await (role === 'move' ? move() : archive())
    print('ended')
  } catch (error) {
    print(error instanceof Error ? error.message : String(error))
    await lines.next()
    print('ended')
  }
await db.close()

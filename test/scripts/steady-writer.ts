/** Writes pairs until it is killed: a team and a reward of the same name in one unit of work. */
import { openDatabase } from '../../db/index.ts'
import { realSources } from '../../src/core/sources.ts'

const db = openDatabase(process.env.DATABASE_URL ?? '', realSources)
for (let pair = 1; ; pair++) {
  const id = `pair-${pair}`
  await db.write(async tx => {
    const at = { createdAt: tx.now(), updatedAt: tx.now() }
    await tx.insert(tx.tables.teams).values({ id, name: id, shortName: 'PAR', active: true, ...at })
    const reward = { title: id, description: id, itemType: 'voucher', pointsRequired: 0, active: true }
    await tx.insert(tx.tables.rewards).values({ id, ...reward, ...at })
  })
  if (pair % 20 === 0) process.stdout.write(`${pair}\n`)
}

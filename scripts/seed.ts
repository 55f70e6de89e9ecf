/** `bun run seed [--fans N] [--seed S]`: a catalogue and fans at all stages, for development. */
import { parseArgs } from 'node:util'
import { openDatabase } from '../db/index.ts'
import { migrate } from '../db/migrate.ts'
import { parseConfig } from '../src/config.ts'
import { withDevelopmentSecrets } from '../src/development-secrets.ts'
import { realSources } from '../src/sources.ts'
import { seedDatabase } from './seed/seed.ts'
import { fail, progressBar, wholeNumber } from './terminal.ts'

const usage = `Fills the database with a demonstration catalogue and fans. What is there stays as it is.

  bun run seed                        300 fans of seed 1
  bun run seed --fans 5000 --seed 7   other fans; give the mock provider the same
                                      (MOCK_IDP_FANS=5000 MOCK_IDP_SEED=7)
`

try {
  const { values } = parseArgs({
    options: { fans: { type: 'string' }, seed: { type: 'string' }, help: { type: 'boolean' } },
  })
  if (values.help) {
    process.stdout.write(usage)
    process.exit(0)
  }
  if (process.env.NODE_ENV === 'production') fail('seed writes invented fans: it does not run in production.')
  const config = parseConfig(await withDevelopmentSecrets(process.env))
  const fans = wholeNumber('--fans', values.fans ?? process.env.MOCK_IDP_FANS ?? '300', 1_000_000)
  const seed = wholeNumber('--seed', values.seed ?? process.env.MOCK_IDP_SEED ?? '1', 999_999_999)
  await migrate(config.databaseUrl)
  const db = openDatabase(config.databaseUrl, realSources)
  const report = await seedDatabase(db, {
    seed,
    fans,
    provider: config.identity,
    onboardingPoints: config.onboardingPoints,
    onProgress: progressBar('fans'),
  })
  await db.close()
  process.stdout.write(
    `Wrote ${report.teams} teams, ${report.rewards} rewards, ${report.packs} packs and ${report.fans} fans.\n`,
  )
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}

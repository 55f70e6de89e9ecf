/** `bun run seed [--fans N] [--seed S]`: a catalogue and fans at all stages, for development. */
import { existsSync } from 'node:fs'
import { Option } from '@commander-js/extra-typings'
import { openDatabase } from '../db/index.ts'
import { migrate } from '../db/migrate.ts'
import { realSources } from '../src/core/sources.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { isSqlite, sqlitePathOf } from './command/database.ts'
import { fail } from './command/explain.ts'
import { stoppable } from './command/stop.ts'
import type { Cast } from './seed/groups.ts'
import { previewSeed } from './seed/preview.ts'
import { seedDatabase } from './seed/seed.ts'
import type { Skipped } from './seed/standings.ts'

const command = declareCommand({
  name: 'seed',
  summary: 'Fills the database with a demonstration catalogue and fans. What is there stays as it is.',
  examples: [
    ['', '300 fans of seed 1'],
    ['--fans 5000 --seed 7', 'other fans; give the mock provider the same'],
    ['--fans 1000000 --exclusive', 'a million, while nothing else writes'],
    ['--dry-run', 'what would be written'],
  ],
  notes: `Fans are left as they are who are there already, who were erased, whose subject has a record of another seed or a
sign-in, or who are there under another provider's name (IDP_NAME), since ids follow from the seed. The last is a mistake
more often than not: it leaves with 1, with everybody else written.`,
  changes: true,
})
  .addOption(
    new Option('--fans <n>', 'how many the provider has')
      .env('MOCK_IDP_FANS')
      .argParser(wholeNumber(1_000_000))
      .default(300),
  )
  .addOption(
    new Option('--seed <s>', 'which ones')
      .env('MOCK_IDP_SEED')
      .argParser(wholeNumber(999_999_999))
      .default(1),
  )
  .option('--exclusive', 'nothing else writes: long batches without rests between them')

await runCommand(
  command,
  async ({ options, configuration, openDatabase: openExisting, closeAtEnd, progress }) => {
    if (process.env.NODE_ENV === 'production')
      fail('seed writes invented fans: it does not run in production.')
    const { databaseUrl, identity: provider, onboardingPoints, postgres } = await configuration()
    const cast: Cast = { seed: options.seed, fans: options.fans, provider, onboardingPoints }
    const onProgress = progress('fans')
    if (options.dryRun) {
      const absent = isSqlite(databaseUrl) && !existsSync(sqlitePathOf(databaseUrl))
      const reader = absent ? null : (await openExisting()).read
      const preview = await previewSeed(reader, cast, onProgress).finally(() => onProgress.end())
      const text = `${describe('Would write', preview)}\nNothing was written (--dry-run).`
      return { answer: { ...preview, dryRun: true }, text, found: preview.skipped.elsewhere > 0 }
    }
    await migrate(databaseUrl, postgres)
    const { exclusive } = options
    const db = closeAtEnd(openDatabase(databaseUrl, realSources, { bulk: exclusive, postgres }))
    const report = await stoppable(stopRequested =>
      seedDatabase(db, { ...cast, exclusive, onProgress, stopRequested }),
    ).finally(() => onProgress.end())
    const { rows, ...written } = report
    const found = written.skipped.elsewhere > 0
    return { answer: written, text: describe('Wrote', written), changed: rows, found }
  },
)

interface Written {
  teams: number
  rewards: number
  packs: number
  fans: number
  skipped: Skipped
}

function describe(verb: string, { teams, rewards, packs, fans, skipped }: Written): string {
  const { taken, erased, elsewhere } = skipped
  const lines = [`${verb} ${teams} teams, ${rewards} rewards, ${packs} packs and ${fans} fans.`]
  if (erased > 0) lines.push(`Left out ${erased} who were erased.`)
  if (taken > 0) {
    lines.push(
      `Left out ${taken} whose subjects are taken, by fans of another seed or by sign-ins; another seed needs an empty database.`,
    )
  }
  if (elsewhere > 0) {
    lines.push(`Left out ${elsewhere} who are there under another provider's name: is IDP_NAME what it was?`)
  }
  return lines.join('\n')
}

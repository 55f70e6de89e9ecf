/** `bun run seed [--fans N] [--seed S]`: a demonstration catalogue and fans at all stages. */

import { existsSync } from 'node:fs'
import { Option } from '@commander-js/extra-typings'
import { openDatabase } from '../db/index.ts'
import { migrate } from '../db/migrate.ts'
import { createSpine } from '../src/app/spine.ts'
import { realSources } from '../src/core/sources.ts'
import { defaultSettings } from '../src/platform/config/settings.ts'
import { predictionPointsIn } from '../src/play/predictions/score.ts'
import { declareCommand, instant, runCommand, wholeNumber } from './command/command.ts'
import { isSqlite, postgresSettings, sqlitePathOf } from './command/database.ts'
import { refuseProduction } from './command/production-guard.ts'
import { stoppable } from './command/stop.ts'
import type { SeedParameters } from './seed/groups.ts'
import { previewSeed } from './seed/preview.ts'
import type { Skipped } from './seed/record-states.ts'
import { seedDatabase } from './seed/seed.ts'
import { SEED_LISTS, type SeededEntries } from './seed/seed-catalogue.ts'

const command = declareCommand({
  name: 'seed',
  summary: 'Fills the database with a demonstration catalogue and fans. Existing rows are not changed.',
  examples: [
    ['', '300 fans of seed 1'],
    ['--fans 5000 --seed 7', 'other fans; the mock provider needs the same values'],
    ['--fans 1000000 --exclusive', 'a million fans, with no other writer'],
    ['--crowd 15000', 'with the figures of a large club around them'],
    ['--dry-run', 'shows what would be written'],
    ['--yes', 'for a demonstration with an identity provider of its own, which is not the mock provider'],
  ],
  notes: `Skipped are fans that exist already, were erased, whose subject has a record of another seed or a sign-in, or that
exist under another provider's name (IDP_NAME), since the seed determines the ids. The last case is usually a mistake: all
other fans are written, and the command exits with 1.

Times are relative to the first seed of the database: a later run continues it, on any day.`,
  changes: true,
})
  .addOption(
    new Option('--fans <n>', 'number of fans of the provider')
      .env('MOCK_IDP_FANS')
      .argParser(wholeNumber(1_000_000))
      .default(300),
  )
  .addOption(
    new Option('--seed <s>', 'seed of the fans')
      .env('MOCK_IDP_SEED')
      .argParser(wholeNumber(999_999_999))
      .default(1),
  )
  .option(
    '--crowd <n>',
    'fans around them, known by little more than daily figures',
    wholeNumber(1_000_000),
    0,
  )
  .option('--instant <instant>', 'a time to which all others are relative; default: now', instant)
  .option('--exclusive', 'no other process writes: long batches without pauses')
  .option('--yes', 'also where NODE_ENV, IDP_ISSUER or the fans in the database look like production')

await runCommand(
  command,
  async ({
    options,
    databaseUrl: targetUrl,
    configuration,
    openDatabase: openExisting,
    closeAtEnd,
    progress,
  }) => {
    if (!options.dryRun)
      await refuseProduction(
        'seed',
        { env: process.env, databaseUrl: targetUrl(), postgres: postgresSettings() },
        options.yes,
      )
    const {
      databaseUrl,
      identity: provider,
      nativeTokens,
      cashCurrencies,
      postgres,
      settings,
    } = await configuration()
    const { seed, fans, crowd } = options
    const stated = { ...defaultSettings, ...settings }
    const { onboardingPoints } = stated
    const parameters: SeedParameters = {
      seed,
      fans,
      provider,
      onboardingPoints,
      predictionPoints: predictionPointsIn(stated),
      nativeTokens,
      ...(options.instant && { instant: options.instant }),
    }
    const onProgress = progress('fans')
    if (options.dryRun) {
      const absent = isSqlite(databaseUrl) && !existsSync(sqlitePathOf(databaseUrl))
      const reader = absent ? null : (await openExisting()).read
      const preview = await previewSeed(reader, parameters, onProgress).finally(() => onProgress.end())
      const text = `${describe('Would write', preview)}\nNothing was written (--dry-run).`
      return { json: { ...preview, dryRun: true }, text, found: preview.skipped.elsewhere > 0 }
    }
    await migrate(databaseUrl, postgres)
    const { exclusive } = options
    const db = closeAtEnd(
      openDatabase(databaseUrl, realSources, { spine: createSpine(), bulk: exclusive, postgres }),
    )
    const report = await stoppable(stopRequested =>
      seedDatabase(db, { ...parameters, cashCurrencies, crowd, exclusive, onProgress, stopRequested }),
    ).finally(() => onProgress.end())
    const { rows, ...written } = report
    const found = written.skipped.elsewhere > 0
    return { json: written, text: describe('Wrote', written), changed: rows, found }
  },
)

interface Written extends SeededEntries {
  fans: number
  skipped: Skipped
}

function describe(verb: string, { fans, skipped, ...made }: Written): string {
  const { taken, erased, elsewhere } = skipped
  const entries = SEED_LISTS.map(list => `${made[list]} ${list}`)
  const lines = [`${verb} ${entries.join(', ')} and ${fans} fans.`]
  if (erased > 0) lines.push(`Skipped ${erased} erased fans.`)
  if (taken > 0) {
    lines.push(
      `Skipped ${taken} fans whose subjects have records of another seed or of sign-ins; another seed needs an empty database.`,
    )
  }
  if (elsewhere > 0) {
    lines.push(`Skipped ${elsewhere} fans that exist under another provider's name: check IDP_NAME.`)
  }
  return lines.join('\n')
}

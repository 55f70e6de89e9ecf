/** `bun run seed [--fans N] [--seed S]`: a catalogue and fans at all stages, for development. */
import { Option } from '@commander-js/extra-typings'
import { openDatabase } from '../db/index.ts'
import { migrate } from '../db/migrate.ts'
import { realSources } from '../src/sources.ts'
import { declareCommand, runCommand, wholeNumber } from './command/command.ts'
import { fail } from './command/explain.ts'
import { stoppable } from './command/stop.ts'
import { seedDatabase } from './seed/seed.ts'

const command = declareCommand({
  name: 'seed',
  summary: 'Fills the database with a demonstration catalogue and fans. What is there stays as it is.',
  examples: [
    ['', '300 fans of seed 1'],
    ['--fans 5000 --seed 7', 'other fans; give the mock provider the same'],
    ['--fans 1000000 --exclusive', 'a million, while nothing else writes'],
  ],
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

await runCommand(command, async ({ options, configuration, closeAtEnd, progress }) => {
  if (process.env.NODE_ENV === 'production') fail('seed writes invented fans: it does not run in production.')
  const config = await configuration()
  await migrate(config.databaseUrl)
  const onProgress = progress('fans')
  const db = closeAtEnd(openDatabase(config.databaseUrl, realSources, { bulk: options.exclusive }))
  const report = await stoppable(stopRequested =>
    seedDatabase(db, {
      seed: options.seed,
      fans: options.fans,
      exclusive: options.exclusive,
      provider: config.identity,
      onboardingPoints: config.onboardingPoints,
      onProgress,
      stopRequested,
    }),
  ).finally(() => onProgress.end())
  const { rows, ...written } = report
  const { teams, rewards, packs, fans } = written
  return {
    answer: written,
    text: `Wrote ${teams} teams, ${rewards} rewards, ${packs} packs and ${fans} fans.`,
    changed: rows,
  }
})

/** The database of development, as `dev` and `reset` leave it. */
import { openDatabase } from '../../db/index.ts'
import { migrate } from '../../db/migrate.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { ensureDevelopmentKey } from '../../src/identity/server-keys/development-key.ts'
import { consoleUrlOf } from '../../src/operate/console/contract/settings.ts'
import { addressOfLink, issueLink } from '../../src/operate/console/sessions/links.ts'
import type { Config, Environment } from '../../src/platform/config/config.ts'
import { createEnvironmentReader } from '../../src/platform/config/environment.ts'
import { fail } from '../command/explain.ts'
import { createProgress } from '../command/progress.ts'
import { seedDatabase } from '../seed/seed.ts'

/** The settings of the mock provider. */
export function readMock(env: Environment) {
  const reader = createEnvironmentReader(env)
  const mock = {
    port: reader.integer('MOCK_IDP_PORT', 4000, 0, 65_535),
    seed: reader.integer('MOCK_IDP_SEED', 1, 0, 999_999_999),
    fans: reader.integer('MOCK_IDP_FANS', 300, 0, 1_000_000),
  }
  return reader.problems.length > 0 ? fail(reader.problems.join('\n')) : mock
}

/** Who is signed in to the console by the link that `dev` prints. */
const DEVELOPER = { name: 'Developer', role: 'owner' } as const

/**
 * Migrates, seeds a database without teams with the fans of the mock provider, and stores the server key of development. Resolves
 * to a link to the console; null where its address is not known.
 */
export async function prepareDatabase(
  config: Config,
  mock: { seed: number; fans: number },
): Promise<string | null> {
  await migrate(config.databaseUrl, config.postgres)
  const db = openDatabase(config.databaseUrl, realSources, {
    spine: createSpine(),
    postgres: config.postgres,
  })
  const [anyTeam] = await db.read.select({ id: db.tables.teams.id }).from(db.tables.teams).limit(1)
  if (!anyTeam) {
    process.stderr.write('The database is empty: seeding.\n')
    const progress = createProgress('fans')
    await seedDatabase(db, {
      seed: mock.seed,
      fans: mock.fans,
      provider: config.identity,
      onboardingPoints: config.onboardingPoints,
      predictionPoints: config.predictionPoints,
      nativeTokens: config.nativeTokens,
      cashCurrencies: config.cashCurrencies,
      onProgress: progress,
    })
    progress.end()
  }
  await db.write(ensureDevelopmentKey)
  const consoleUrl = config.console && consoleUrlOf(config.console)
  const link = consoleUrl && addressOfLink(consoleUrl, await db.write(tx => issueLink(tx, DEVELOPER)))
  await db.close()
  return link
}

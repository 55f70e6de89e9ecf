/** Prepares the development database, for `dev` and `reset`. */
import { type Database, openDatabase } from '../../db/index.ts'
import { seedMarker } from '../../db/marker.ts'
import { migrate } from '../../db/migrate.ts'
import { createSpine } from '../../src/app/spine.ts'
import { commandLine } from '../../src/core/command-line.ts'
import { realSources } from '../../src/core/sources.ts'
import { ensureDevelopmentKey } from '../../src/identity/server-keys/development-key.ts'
import { makeDeveloperLink } from '../../src/identity/staff/sessions/links.ts'
import { consoleUrlOf } from '../../src/operate/console/contract/settings.ts'
import type { Config, Environment } from '../../src/platform/config/config.ts'
import { createEnvironmentReader } from '../../src/platform/config/environment.ts'
import { defaultSettings } from '../../src/platform/config/settings.ts'
import { predictionPointsIn } from '../../src/play/predictions/score.ts'
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

/** Fans around those of the provider. */
const CROWD = 15_000

/**
 * Migrates, seeds a database without teams with the fans of the mock provider, and stores the server key for development.
 * Continues an interrupted seed. Resolves to a link to the console; null if its address is unknown.
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
  await seedOnce(db, config, mock)
  await db.write(ensureDevelopmentKey)
  const consoleUrl = config.console && consoleUrlOf(config.console)
  const link = consoleUrl && (await makeDeveloperLink(db, consoleUrl))
  await db.close()
  return link
}

/** Makes the first seed complete: a marker stays in the database until all of it is written. */
async function seedOnce(db: Database, config: Config, { seed, fans }: { seed: number; fans: number }) {
  const parameters = `MOCK_IDP_SEED=${seed} MOCK_IDP_FANS=${fans}`
  const begun = await seedMarker.read(db)
  if (begun === undefined) {
    const [anyTeam] = await db.read.select({ id: db.tables.teams.id }).from(db.tables.teams).limit(1)
    if (anyTeam) return
    await db.write(tx => seedMarker.write(tx, parameters))
    process.stderr.write('The database is empty: seeding.\n')
  } else if (begun === parameters) process.stderr.write('The seed was interrupted: continuing it.\n')
  else
    fail(
      `The seed with ${begun} was interrupted. Set the same values again to continue, or start with new data: \`${commandLine('reset')}\`.`,
    )
  const { identity: provider, nativeTokens, cashCurrencies } = config
  const settings = { ...defaultSettings, ...config.settings }
  const onProgress = createProgress('fans')
  await seedDatabase(db, {
    seed,
    fans,
    provider,
    onboardingPoints: settings.onboardingPoints,
    predictionPoints: predictionPointsIn(settings),
    nativeTokens,
    cashCurrencies,
    crowd: CROWD,
    exclusive: true,
    onProgress,
  })
  onProgress.end()
  await db.write(seedMarker.remove)
}

/** Prepares the development database, for `dev` and `reset`. */
import { type Database, openDatabase } from '../../db/index.ts'
import { seedMarker } from '../../db/marker.ts'
import { migrate } from '../../db/migrate.ts'
import { createSpine } from '../../src/app/spine.ts'
import { commandLine } from '../../src/core/command-line.ts'
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

/** The person that the link of `dev` signs in to the console. */
const DEVELOPER = { name: 'Developer', role: 'owner' } as const

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
  const link = consoleUrl && addressOfLink(consoleUrl, await db.write(tx => issueLink(tx, DEVELOPER)))
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
  } else if (begun === parameters) process.stderr.write('The seed was interrupted: going on with it.\n')
  else
    fail(
      `The seed with ${begun} was interrupted. Set these again to go on with it, or begin with new data: \`${commandLine('reset')}\`.`,
    )
  const { identity: provider, onboardingPoints, predictionPoints, nativeTokens, cashCurrencies } = config
  const onProgress = createProgress('fans')
  await seedDatabase(db, {
    seed,
    fans,
    provider,
    onboardingPoints,
    predictionPoints,
    nativeTokens,
    cashCurrencies,
    onProgress,
  })
  onProgress.end()
  await db.write(seedMarker.remove)
}

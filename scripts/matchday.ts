/** `matchday COMMAND`: the entry point of the executable that `bun run build` makes. Each command is loaded when it runs. */
import { version } from '../package.json'
import { readCommit } from '../src/core/commit.ts'

type Load = () => Promise<unknown>

/** Servers, by name: the summary, and the module that runs it. */
const servers: Record<string, [summary: string, load: Load]> = {
  serve: ['Runs the API; NODE_ENV is production unless it is set', serve],
  'mock-idp': ['Runs the mock identity provider alone', () => import('../mock-idp/main.ts')],
}

/** Commands, which parse their own options. */
const commands: Record<string, [summary: string, load: Load]> = {
  dev: ['Tries Matchday: an API with a mock provider and demonstration data', () => import('./dev.ts')],
  'merge-fans': ['Merges two accounts of one person', () => import('./merge-fans.ts')],
  migrate: ['Migrates the database to the schema of this version', () => import('./migrate.ts')],
  'generate-secrets': ['Prints new secrets for production', () => import('./generate-secrets.ts')],
  health: ['Checks that a running API is ready', () => import('./health.ts')],
  'import-catalog': ['Makes the catalogue match a file', () => import('./import-catalog.ts')],
  'export-catalog': ['Writes the catalogue in the form of an import', () => import('./export-catalog.ts')],
  'catalog-schema': ['Prints the JSON Schema of catalogue files', () => import('./catalog-schema.ts')],
  'preview-rules': [
    'Shows what rules would have granted for recorded events',
    () => import('./preview-rules.ts'),
  ],
  'import-fans': ['Imports fans of another system with their points', () => import('./import-fans.ts')],
  'import-memberships': ['Imports memberships of a ticket office', () => import('./import-memberships.ts')],
  'priority-list': ['Lists fans by their totals in an account', () => import('./priority-list.ts')],
  receipts: ['Exports the receipts of a month', () => import('./receipts.ts')],
  'import-events': ['Imports events of another system', () => import('./import-events.ts')],
  grant: ['Grants points to a fan, or takes points, once per reference', () => import('./grant.ts')],
  archive: ['Moves old rows of fans to files', () => import('./archive.ts')],
  audit: ['Verifies or exports the audit log of the console', () => import('./audit.ts')],
  'console-link': ['Prints a link that signs a person in to the console', () => import('./console-link.ts')],
  matches: ['Lowers a revision of a match that is too high', () => import('./matches.ts')],
  moderate: ['Shows and records decisions of moderators about fans', () => import('./moderate.ts')],
  segments: ['Counts and exports the fans of a segment', () => import('./segments.ts')],
  campaigns: ['Previews, starts and stops messages to a segment', () => import('./campaigns.ts')],
  codes: ['Generates, voids and counts codes of campaigns', () => import('./codes.ts')],
  'redeem-code': ['Uses the redemption code that a fan shows, once', () => import('./redeem-code.ts')],
  reconcile: ['Compares the payments of Stripe with those of this server', () => import('./reconcile.ts')],
  refund: ['Lists refunds that are due, and pays them', () => import('./refund.ts')],
  'server-keys': ["Manages the keys of the club's own systems", () => import('./server-keys.ts')],
  webhooks: ['Manages the endpoints that receive events', () => import('./webhooks.ts')],
  'event-sink': [
    'Shows the position and the backlog of the event sink, or removes it',
    () => import('./event-sink.ts'),
  ],
  events: ['Shows events, and what would happen to one now', () => import('./events.ts')],
  'explain-event': ['Explains the points of an event', () => import('./explain-event.ts')],
  clubs: ['Runs commands over several clubs, each with a file of settings', () => import('./clubs.ts')],
  backup: ['Backs up a SQLite database while the API serves', () => import('./backup.ts')],
  restore: ['Restores a backup of a SQLite database', () => import('./restore.ts')],
  move: ['Copies a whole database into an empty one of either engine', () => import('./move.ts')],
  'export-user': ['Exports all data that is stored about a fan', () => import('./export-user.ts')],
  'erase-user': ['Erases a fan', () => import('./erase-user.ts')],
  'verify-ledger': ['Recomputes hash chains, balances and ranks', () => import('./verify-ledger.ts')],
  'verify-quests': ['Recomputes quests from the events', () => import('./verify-quests.ts')],
  'verify-pictures': ['Compares uploaded pictures with their files', () => import('./verify-pictures.ts')],
  'verify-provenance': ['Recomputes the history of an item', () => import('./verify-provenance.ts')],
  'verify-draw': ['Recomputes the draw of an opened pack, offline', () => import('./verify-draw.ts')],
  'backfill-onboarding': ['Onboards fans of earlier systems', () => import('./backfill-onboarding.ts')],
  'backfill-profiles': ['Repairs accounts, ranks and profiles', () => import('./backfill-profiles.ts')],
  'backfill-quests': ['Counts past events for a quest', () => import('./backfill-quests.ts')],
  'expire-points': ['Books expired points', () => import('./expire-points.ts')],
  'backfill-sets': ['Completes sets of fans who own their items', () => import('./backfill-sets.ts')],
  openapi: ['Prints the OpenAPI document', () => import('./openapi.ts')],
  seed: ['Writes a demonstration catalogue and fans', () => import('./seed.ts')],
  reset: ['Recreates the database of development', () => import('./reset.ts')],
  token: ['Prints a session token of the mock provider', () => import('./token.ts')],
}

/** Does the same as `bun run start`. */
async function serve() {
  process.env.NODE_ENV ||= 'production'
  await import('../src/main.ts')
}

/** For help, and for what is no command. */
async function parse() {
  const { Command, CommanderError } = await import('@commander-js/extra-typings')
  const commit = readCommit()
  const program = new Command('matchday')
    .description(
      'The open backend for sports-fan apps. `matchday COMMAND --help` shows the options of a command.',
    )
    .version(commit === '' ? version : `${version} (${commit})`)
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError()
  for (const [name, [summary, load]] of Object.entries({ ...servers, ...commands }))
    program
      .command(name)
      .description(summary)
      .action(async () => void (await load()))
  try {
    await program.parseAsync()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exit(error.exitCode === 0 ? 0 : 2)
  }
}

const [name = '', ...options] = process.argv.slice(2)
const command = commands[name]
const server = options.length === 0 ? servers[name] : undefined
if (command) {
  // The command parses what follows its name.
  process.argv.splice(2, 1)
  await command[1]()
} else await (server?.[1] ?? parse)()

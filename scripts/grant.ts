/** `bun run grant FAN DELTA --ref R`: grants points, those of an account with `--account`, or cash with `--currency`, once per reference. */
import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Database, Transaction } from '../db/index.ts'
import { rollBack } from '../db/roll-back.ts'
import { explainFault } from '../src/core/faults.ts'
import { errorsOf } from '../src/core/formats.ts'
import { grantCash } from '../src/economy/cash/grant-cash.ts'
import { Grant, grantPoints, MAX_GRANT } from '../src/economy/points/grants.ts'
import { findPadded } from '../src/platform/files/rows.ts'
import { type CommandResult, declareCommand, instant, runCommand } from './command/command.ts'
import { providerOf } from './command/database.ts'
import { fail, failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'grant',
  summary: `Grants points to a fan, or takes points from the balance, once per reference: the same command again changes nothing.
The entry has the reason adjustment. Taking points reduces neither lifetime points nor ranks.
With --account the points are those of an account, which fans keep and never spend.
With --currency it gives cash, as a promotion, which is spent before cash that the fan has paid in.`,
  examples: [
    ['01981e2c-7c1f-7000-8000-000000000003 50 --ref apology-17', 'by user id'],
    ["'auth0|123' 50 --ref apology-17 --subject", 'by subject; a new subject gets a record'],
    ['01981e2c-7c1f-7000-8000-000000000003 -50 --ref mistake-17', 'takes points'],
    ['01981e2c-7c1f-7000-8000-000000000003 120 --ref moved-17 --account status', 'into an account'],
    ['01981e2c-7c1f-7000-8000-000000000003 500 --ref welcome-17 --currency EUR', 'gives 5.00 EUR of cash'],
  ],
  notes: `The reference is stored permanently in the ledger, which the fan sees: it must not contain personal data. The note is for operators, and an
erasure deletes it.`,
  changes: true,
})
  .argument('<fan>', 'user id of the fan')
  .argument('<delta>', 'points; negative to take points', points)
  .requiredOption('--ref <ref>', 'identifies the grant among those of all fans; up to 128 characters')
  .option('--note <text>', 'a note for operators; up to 500 characters')
  .option('--account <id>', 'points of this account; default: the points that fans spend')
  .option('--currency <code>', 'cash in this currency of CASH_CURRENCIES; the amount is in minor units')
  .option('--expires <instant>', 'unspent cash expires at this time; ISO 8601, UTC', instant)
  .option('--subject', 'the fan is a subject at the provider, not a user id')
  .option('--provider <name>', 'the provider of the subject (default: IDP_NAME)')

/** The source of grants by operators. No server key has this name. */
const SOURCE = 'operator'

/** Undoes a dry run. */
class Undone extends Error {
  constructor(readonly granted: Awaited<ReturnType<typeof grantPoints>>) {
    super('a dry run was undone')
  }
}

await runCommand(command, async ({ parameters: [fan, delta], options, configuration, openDatabase }) => {
  const { ref, note, subject, account, dryRun } = options
  if (options.provider !== undefined && !subject) failUsage('--provider requires --subject')
  const provider = subject ? providerOf(options.provider) : ''
  const grant = { fan: subject ? { provider, subject: fan } : { userId: fan }, delta, ref, account, note }
  const fault = errorsOf(Grant, grant).First()
  if (fault) failUsage(`${fault.path.slice(1)} ${explainFault(fault)}`)
  // White space, for example from a list that a shell has split, would mean another fan or another grant.
  const [padded] = findPadded({ fan, ref })
  if (padded) failUsage(`${padded.field} ${padded.message}`)
  const { currency } = options
  if (currency !== undefined && account !== undefined)
    failUsage('--account and --currency exclude each other')
  if (currency === undefined && options.expires) failUsage('--expires requires --currency')
  if (currency !== undefined) {
    if (delta < 0) failUsage('cash cannot be taken: the amount must be positive')
    const { cashCurrencies } = await configuration()
    if (!cashCurrencies.includes(currency)) fail(`${currency} is not among CASH_CURRENCIES.`)
    return giveCash(await openDatabase(), provider, grant, currency)
  }

  const db = await openDatabase()
  const { created, entry, balance } = await db
    .write(async tx => {
      const granted = await grantPoints(tx, { source: SOURCE, provider }, grant)
      if (dryRun) throw new Undone(granted)
      return granted
    })
    .catch(error => {
      if (error instanceof Undone) return error.granted
      throw error
    })
  return {
    json: { created, entry, balance },
    text: created
      ? `${dryRun ? 'Would book' : 'Booked'} ${entry.delta} points; the balance ${dryRun ? 'would be' : 'is'} ${balance}.`
      : `${ref} was booked at ${entry.createdAt}; nothing was changed. The balance is ${balance}.`,
    changed: created ? 1 : 0,
    textHasSummary: true,
  }
})

async function giveCash(
  db: Database,
  provider: string,
  { fan, delta: amount, ref, note }: Omit<Grant, 'account'>,
  currency: string,
): Promise<CommandResult> {
  const { dryRun, expires } = command.opts()
  const promotion = { fan, amount, currency, ref, expiresAt: expires?.toISOString(), note }
  const give = (tx: Transaction) =>
    grantCash(tx, { source: SOURCE, provider, currencies: [currency] }, promotion)
  const { created, available } = await (dryRun ? rollBack(db, give) : db.write(give))
  return {
    json: { created, currency, amount, available },
    text: created
      ? `${dryRun ? 'Would give' : 'Gave'} ${amount} ${currency}; ${available} ${dryRun ? 'would be' : 'are'} available.`
      : `${ref} was given before; nothing was changed. ${available} ${currency} are available.`,
    changed: created ? 1 : 0,
    textHasSummary: true,
  }
}

function points(text: string): number {
  const delta = /^[+-]?\d{1,10}$/.test(text) ? Number(text) : 0
  if (delta !== 0 && Math.abs(delta) <= MAX_GRANT) return delta
  throw new InvalidArgumentError(`It must be a whole number of -${MAX_GRANT} to ${MAX_GRANT}, and not 0.`)
}

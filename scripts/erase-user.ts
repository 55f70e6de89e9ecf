/** `bun run erase-user ID | --subject SUB [--yes]`: erases a fan at their wish. */
import { type Erasure, eraseUser, planErasure, type Whom } from '../src/erasure/erase-user.ts'
import { declareCommand, type Outcome, runCommand } from './command/command.ts'
import { fail, misuse } from './command/explain.ts'

const command = declareCommand({
  name: 'erase-user',
  summary: `Erases a fan: profile, the provider's data and its name for them, devices, sealed tokens, redemption codes.
They are signed out at once and stay so: no token, webhook or sync of theirs is taken again.`,
  examples: [
    ['ID', 'shows what would go, and changes nothing'],
    ['ID --yes', 'does it; again, it does nothing'],
    ["--subject 'auth0|123' --yes", 'by the name that the provider has for them'],
  ],
  notes: `What stays names nobody: ledger entries (nothing personal is hashed), places on boards without a name or picture,
claims, purchases with the payment gateway's reference, drawn packs. Their proofs are public and stay as they were, with
the client seed that the fan chose. The provider, the gateway and your backups have to be asked for themselves.`,
  changes: true,
})
  .argument('[id]', 'the fan, by our id')
  .option('--subject <sub>', 'the fan, as the provider names them')
  .option('--provider <name>', 'which provider (default: IDP_NAME)')
  .option('--yes', 'do it')

await runCommand(command, async ({ parameters: [id], options, configuration, openDatabase }) => {
  if ((id === undefined) === (options.subject === undefined)) misuse('name the fan: an id or --subject')
  if (options.provider !== undefined && options.subject === undefined) misuse('--provider needs --subject')
  if (options.yes && options.dryRun) misuse('--yes and --dry-run contradict each other')
  const named = async (subject: string): Promise<Whom> => {
    return { provider: options.provider ?? (await configuration()).identity.name, subject }
  }
  const whom = options.subject === undefined ? { id: id ?? '' } : await named(options.subject)
  const db = await openDatabase()
  const erasure = await (options.yes ? db.write(tx => eraseUser(tx, whom)) : planErasure(db.read, whom))
  if (!erasure) return fail('There is no such fan.')
  const outcome = report(erasure, options.yes ?? false)
  if (!options.yes && !options.dryRun) return outcome
  return { ...outcome, changed: isNothing(erasure) ? 0 : 1, told: true }
})

function report(erasure: Erasure, done: boolean): Outcome {
  const { userId, erasedAt, profile, identity, devices, redemptionCodes, deferredSyncs } = erasure
  const lines = [
    `Fan ${userId ?? 'without a record'}${erasedAt ? `, erased at ${erasedAt}` : ''}`,
    `  profile           ${profile.join(', ') || 'nothing'}`,
    `  identity          ${identity.join(', ') || 'nothing'}`,
    `  devices           ${devices}`,
    `  redemption codes  ${redemptionCodes}`,
    `  deferred syncs    ${deferredSyncs}`,
  ]
  const then = done ? 'Erased.' : 'Nothing was changed. To do it: the same with --yes'
  return { answer: { ...erasure, done }, text: [...lines, then].join('\n') }
}

/** Of a fan who was erased before. */
function isNothing({ profile, identity, devices, redemptionCodes, deferredSyncs }: Erasure): boolean {
  return profile.length + identity.length + devices + redemptionCodes + deferredSyncs === 0
}

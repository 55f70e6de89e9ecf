/** `bun run campaigns preview | start | stop | report`: messages to a segment, at one time. */
import { Argument } from '@commander-js/extra-typings'
import type { Transaction } from '../db/index.ts'
import { rollBack } from '../db/roll-back.ts'
import { startCampaign, stopCampaign } from '../src/operate/admin/campaigns/campaigns.ts'
import { previewCampaign } from '../src/operate/admin/campaigns/preview.ts'
import { reportCampaign } from '../src/operate/admin/campaigns/report.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { failUsage } from './command/explain.ts'

const command = declareCommand({
  name: 'campaigns',
  summary:
    'Previews, starts and stops a campaign, and reports how far it is: a notification of the catalogue with `at`.',
  examples: [
    ['preview derby-tickets', 'how many fans would get it now, and what it says in each language'],
    ['start derby-tickets', 'the running processes send it at its time, or at once if that is over'],
    ['stop derby-tickets', 'nobody else gets it; another start continues, and nobody gets it twice'],
    ['report derby-tickets', 'fans who wait, got, read and opened it, and its pushes'],
  ],
  notes:
    'Each fan who is in the segment when it begins gets it once. The console does the same, with an audit log.',
  changes: true,
})
  .addArgument(
    new Argument('<action>', 'what to do').choices(['preview', 'start', 'stop', 'report'] as const),
  )
  .argument('<campaign>', 'id of the notification')

await runCommand(command, async ({ parameters: [action, id], options: { dryRun = false }, openDatabase }) => {
  const changes = action === 'start' || action === 'stop'
  if (dryRun && !changes) failUsage(`${action} changes nothing: it takes no --dry-run`)
  const db = await openDatabase()
  if (action === 'preview') {
    const preview = await previewCampaign(db.read, id)
    return { json: { campaign: id, ...preview }, text: describePreview(preview) }
  }
  if (changes) {
    const verb = action === 'start' ? startCampaign : stopCampaign
    const change = (tx: Transaction) => verb(tx, id)
    await (dryRun ? rollBack(db, change) : db.write(change))
  }
  const report = await reportCampaign(db.read, id)
  const json = { campaign: id, ...report }
  const done = dryRun ? `It would be ${action === 'start' ? 'started' : 'stopped'}.\n` : ''
  const text = `${done}${describeReport(report)}`
  return changes ? { json, text, changed: 1, textHasSummary: true } : { json, text }
})

function describePreview({ fans, samples }: Awaited<ReturnType<typeof previewCampaign>>): string {
  const shown = samples.map(({ language, fans: some, title, body, url }) =>
    [`${language}: ${some} fans`, `  ${title}`, `  ${body}`, ...(url === null ? [] : [`  ${url}`])].join(
      '\n',
    ),
  )
  return [`${fans} fans`, ...shown].join('\n')
}

function describeReport({ id, state, at, ...counts }: Awaited<ReturnType<typeof reportCampaign>>): string {
  const { fans, queued, sent, skipped, left, read, clicked, devices } = counts
  const lines = [`${id}: ${state}, at ${at}`]
  if (fans === null) return lines.join('\n')
  lines.push(
    `  ${fans} fans: ${queued} wait, ${sent} got it, ${skipped} do not want it, ${left} were erased or merged`,
    `  ${read} have read it, ${clicked} have opened its link`,
  )
  const { queued: waiting, held, sent: pushed, gone, failed, skipped: unsent } = devices
  lines.push(
    `  devices: ${waiting} wait, ${held} held back, ${pushed} sent, ${gone} gone, ${failed} failed, ${unsent} skipped`,
  )
  return lines.join('\n')
}

/** `bun run codes generate | void | report`: codes of the campaigns of the catalogue. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { Argument } from '@commander-js/extra-typings'
import type { Database } from '../db/index.ts'
import { csvLine } from '../src/core/csv.ts'
import type { CampaignRow } from '../src/play/codes/campaign-kind.ts'
import { hashOfCode, normalizeCode } from '../src/play/codes/code.ts'
import {
  countUnused,
  findCampaign,
  generateCodes,
  listUnused,
  reportCampaign,
  voidCodes,
} from '../src/play/codes/generate.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage, ofFile } from './command/explain.ts'
import type { Progress } from './command/progress.ts'

const MAX_CODES = 10_000_000
/** Codes of one unit of work. */
const BATCH = 500

const command = declareCommand({
  name: 'codes',
  summary: `Generates, voids and counts the codes of a campaign.
Only hashes of generated codes are stored: the file is the only place where they stand.`,
  examples: [
    ['generate scarf-summer --count 5000 --out codes.txt', 'one code in each line, for the printer'],
    ['void scarf-summer --file lost.txt', 'voids the unused codes of a file'],
    ['void scarf-summer --all', 'voids all unused codes of the campaign'],
    ['report scarf-summer', 'how many are unused, redeemed and voided, and redemptions by day'],
    ['report scarf-summer --csv', 'by day, for the sponsor: contains no names'],
  ],
  notes:
    'Codes that fans have redeemed are never voided. Days are in the time zone of the club (setting `timeZone`).',
  changes: true,
})
  .addArgument(new Argument('<action>', 'what to do').choices(['generate', 'void', 'report'] as const))
  .argument('<campaign>', 'id of the campaign')
  .option('--count <n>', 'generate: how many')
  .option('--out <file>', 'generate: a file that does not exist yet')
  .option('--file <file>', 'void: a file with one code in each line')
  .option('--all', 'void: all unused codes')
  .option('--csv', 'report: by day, as CSV')

await runCommand(command, async session => {
  const { parameters, options, openDatabase } = session
  const [action, id] = parameters
  const { count, out, file, all = false, csv = false, dryRun = false } = options
  if ((count !== undefined) !== (action === 'generate'))
    failUsage('generate requires --count, and no other action takes it')
  if ((out !== undefined) !== (action === 'generate' && !dryRun))
    failUsage('generate requires --out unless it is a dry run, and no other action takes it')
  const isListed = file !== undefined
  if (action === 'void' ? isListed === all : isListed || all)
    failUsage('void requires --file or --all, and no other action takes them')
  if (action === 'report' && dryRun) failUsage('report changes nothing: it takes no --dry-run')
  if (action !== 'report' && csv) failUsage(`${action} takes no --csv`)
  const size = count === undefined ? 0 : readCount(count)
  const listed = file === undefined ? null : readCodes(file)
  const db = await openDatabase()
  const campaign = (await findCampaign(db.read, id)) ?? fail(`There is no campaign ${id}.`)
  if (action === 'report') return report(db, campaign, csv)
  if (campaign.kind !== 'unique') fail(`All fans enter one code of ${id}: switch the campaign off instead.`)
  if (action === 'void') return voidUnused(db, campaign.id, listed, dryRun)
  if (out === undefined) return outcome(size, `${size} codes would be generated.`)
  await generate(db, campaign.id, { size, out, progress: session.progress('codes') })
  return outcome(size, `${size} codes of ${id} are in ${out}. They are not shown again.`)
})

function outcome(codes: number, text: string): CommandResult {
  return { json: { codes }, text, changed: codes, textHasSummary: true }
}

function readCount(text: string): number {
  const size = /^[1-9]\d{0,7}$/.test(text) ? Number(text) : Number.NaN
  return size <= MAX_CODES ? size : failUsage(`--count must be a whole number from 1 to ${MAX_CODES}`)
}

/** Hashes of the codes of a file. An error names the line, never the code. */
function readCodes(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split(/\r?\n/)
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const normalized = normalizeCode(line) ?? failUsage(`line ${index + 1} of ${file} is not a code`)
    return hashOfCode(normalized)
  })
}

/** Each code is written after its hash is durable: a code of the file always works. */
async function generate(
  db: Database,
  campaignId: string,
  { size, out, progress }: { size: number; out: string; progress: Progress },
): Promise<void> {
  const file = ofFile(out, () => openSync(out, 'wx', 0o600))
  try {
    for (let made = 0; made < size; ) {
      const wanted = Math.min(BATCH, size - made)
      const codes = await db.write(tx => generateCodes(tx, campaignId, wanted))
      writeSync(file, codes.map(code => `${code}\n`).join(''))
      made += codes.length
      progress(made, size)
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
    progress.end()
  }
}

async function voidUnused(db: Database, campaignId: string, listed: string[] | null, dryRun: boolean) {
  let codes = 0
  for await (const hashes of listed ? pagesOf(listed) : unusedOf(db, campaignId))
    codes += await (dryRun
      ? countUnused(db.read, campaignId, hashes)
      : db.write(tx => voidCodes(tx, campaignId, hashes)))
  return outcome(codes, dryRun ? `${codes} codes would be voided.` : `${codes} codes are voided.`)
}

function* pagesOf(hashes: string[]) {
  for (let start = 0; start < hashes.length; start += BATCH) yield hashes.slice(start, start + BATCH)
}

async function* unusedOf(db: Database, campaignId: string) {
  let after = ''
  for (;;) {
    const hashes = await listUnused(db.read, campaignId, { after, size: BATCH })
    if (hashes.length === 0) return
    yield hashes
    after = hashes.at(-1) ?? ''
  }
}

async function report(
  db: Database,
  { id, redeemed, total }: CampaignRow,
  csv: boolean,
): Promise<CommandResult> {
  const { days, ...codes } = await reportCampaign(db.read, id)
  const json = { campaign: id, redeemed, total, ...codes, days }
  if (csv) {
    const rows = days.map(({ day, redemptions, fans }) => csvLine([day, redemptions, fans]))
    return { json, text: [csvLine(['day', 'redemptions', 'fans']), ...rows].join('').trimEnd() }
  }
  const lines = [
    `${id}: ${redeemed} redemptions${total === null ? '' : ` of ${total}`}`,
    ...(codes.generated > 0
      ? [`  ${codes.generated} codes: ${codes.unused} unused, ${codes.voided} voided`]
      : []),
    ...days.map(({ day, redemptions, fans }) => `  ${day}  ${redemptions} by ${fans} fans`),
  ]
  return { json, text: lines.join('\n') }
}

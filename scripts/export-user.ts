/** `bun run export-user ID`: exports all data stored about a fan, as JSON. */
import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs'
import type { UserReference } from '../src/core/caller.ts'
import { streamJson } from '../src/core/stream-json.ts'
import { ArchiveFault } from '../src/economy/archive/files.ts'
import { exportUser } from '../src/operate/admin/export-user.ts'
import { createAddressEncryption } from '../src/play/shop/addresses.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { providerOf } from './command/database.ts'
import { fail, failUsage, ofFile } from './command/explain.ts'

/** Characters per write. */
const CHUNK = 65_536

const command = declareCommand({
  name: 'export-user',
  summary: 'Exports all data stored about a fan as one JSON document.',
  examples: [
    ['01981e2c-7c1f-7000-8000-000000000003', 'by profile id, to standard output'],
    ['01981e2c-7c1f-7000-8000-000000000003 --output fan.json', 'to a new file that only its owner can read'],
    ['--subject fan-0001', 'by subject at the provider'],
  ],
  notes: 'Tokens, and secrets of sealed packs, are not exported.',
})
  .argument('[id]', 'profile id')
  .option('--subject <subject>', 'the subject of the fan at the provider, instead of an id')
  .option('--provider <name>', 'the provider of the subject (default: IDP_NAME)')
  .option('--archive <folder>', 'also export what of the fan is in the files of the archive')
  .option('--output <file>', 'write to a new file of mode 0600 instead of standard output')

await runCommand(command, async session => {
  const {
    parameters: [id],
    options,
    configuration,
    openDatabase,
    print,
  } = session
  const fan = referenceOf(id, options)
  const db = await openDatabase()
  const { nativeTokens } = await configuration()
  const { archive } = options
  const found = await exportUser(db.read, fan, createAddressEncryption(nativeTokens), archive).catch(
    explainFault,
  )
  if (!found) fail('No data is stored about this fan.')
  if (options.output === undefined) await writeAll(found, print).catch(explainFault)
  else await writeFile(options.output, found).catch(explainFault)
  return undefined
})

async function writeAll(found: object, write: (text: string) => Promise<void>): Promise<void> {
  let text = ''
  for await (const piece of streamJson(found)) {
    text += piece
    if (text.length < CHUNK) continue
    await write(text)
    text = ''
  }
  await write(`${text}\n`)
}

function explainFault(error: unknown): never {
  if (error instanceof ArchiveFault) return fail(error.message)
  throw error
}

/** Writes under a name of its own until complete; never overwrites an existing file. */
async function writeFile(path: string, found: object): Promise<void> {
  const partial = `${path}.${randomUUID()}.partial`
  const file = ofFile(path, () => openSync(partial, 'wx', 0o600))
  try {
    await writeAll(found, async text => void writeSync(file, text))
    fsyncSync(file)
    ofFile(path, () => linkSync(partial, path))
  } finally {
    closeSync(file)
    rmSync(partial, { force: true })
  }
}

function referenceOf(
  id: string | undefined,
  options: { subject?: string; provider?: string },
): UserReference {
  const { subject } = options
  if (id !== undefined && subject === undefined && options.provider === undefined) return { id }
  if (id !== undefined || subject === undefined) failUsage('give either an id or --subject')
  return { provider: providerOf(options.provider), subject }
}

/** `bun run verify-provenance FILE|URL`: recomputes the history of an item. */
import { findProvenanceFlaw } from '../src/play/packs/provenance-chain.ts'
import type { Provenance } from '../src/play/packs/provenance-schema.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'
import { parseDocument } from './command/json-file.ts'

const TIMEOUT = 10_000

const command = declareCommand({
  name: 'verify-provenance',
  summary: 'Recomputes the history of an item, offline if it is a file.',
  examples: [
    ['provenance.json', 'recomputes the hash of each link'],
    ['http://localhost:3000/api/collectibles/ID/serials/1/provenance', 'reads the history first'],
  ],
  database: false,
}).argument('<provenance>', 'file or URL of the history')

const readJson = (source: string) =>
  parseDocument(source, async () => {
    if (!/^https?:\/\//.test(source)) return Bun.file(source).text()
    const response = await fetch(source, { signal: AbortSignal.timeout(TIMEOUT) })
    return response.text()
  })

await runCommand(command, async ({ parameters: [source] }) => {
  const read = await readJson(source)
  const flaw = findProvenanceFlaw(read)
  if (flaw) fail(`The provenance is not valid: ${flaw}.`)
  // Guarantee of the cast: a value of another form is a flaw.
  const { collectibleId, serialNumber, origin, transfers } = read as Provenance
  const hash = transfers.at(-1)?.hash ?? origin.hash
  const count = transfers.length + 1
  return {
    json: { holds: true, collectibleId, serialNumber, links: count, hash },
    text: `The provenance of ${collectibleId} #${serialNumber} is valid. Links: ${count}. Last hash: ${hash}`,
  }
})

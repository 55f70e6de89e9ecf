/** `bun run verify-draw PROOF.json [PURCHASE.json]`: draws an opened pack again, offline. */
import { findBreach, findFlaw, type Proof } from '../src/packs/proof.ts'
import { fail } from './terminal.ts'

const usage = `Verifies the proof of an opened pack, without a network.

  curl -s localhost:3000/api/packs/proofs/USER_PACK_ID > proof.json
  bun run verify-draw proof.json
  bun run verify-draw proof.json purchase.json   also holds it to what the purchase promised when it was started

Leaves with 0 when the proof holds, 1 when it does not, 2 when it is called wrongly.
`

const [file, purchaseFile, ...more] = process.argv.slice(2)
if (file === '--help') {
  process.stdout.write(usage)
  process.exit(0)
}
if (!file || more.length > 0) {
  process.stderr.write(usage)
  process.exit(2)
}

async function readJson(path: string): Promise<unknown> {
  try {
    return await Bun.file(path).json()
  } catch {
    return fail(`${path} cannot be read as JSON.`)
  }
}

const read = await readJson(file)
const flaw = findFlaw(read)
if (flaw) fail(`The proof does not hold: ${flaw}.`)
const proof = read as Proof
const breach = purchaseFile ? findBreach(proof, await readJson(purchaseFile)) : null
if (breach) fail(`The promise is broken: ${breach}.`)
process.stdout.write(
  purchaseFile
    ? 'The proof holds, and keeps the promise of the purchase:\n'
    : 'The proof holds. Compare its seedHash and termsHash with those of your purchase:\n',
)
if (!purchaseFile) process.stdout.write(`  seedHash   ${proof.seedHash}\n  termsHash  ${proof.termsHash}\n`)
for (const [index, item] of proof.items.entries()) process.stdout.write(`  ${index + 1}. ${item}\n`)

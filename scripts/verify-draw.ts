/** `bun run verify-draw PROOF.json`: draws an opened pack again, offline. */
import { findFlaw, type Proof } from '../src/packs/proof.ts'
import { fail } from './terminal.ts'

const usage = `Verifies the proof of an opened pack, without a network.

  curl -s localhost:3000/api/packs/proofs/USER_PACK_ID > proof.json
  bun run verify-draw proof.json

Leaves with 0 when the proof holds, 1 when it does not, 2 when it is called wrongly.
`

const [file, ...more] = process.argv.slice(2)
if (file === '--help') {
  process.stdout.write(usage)
  process.exit(0)
}
if (!file || more.length > 0) {
  process.stderr.write(usage)
  process.exit(2)
}

let proof: unknown
try {
  proof = await Bun.file(file).json()
} catch {
  fail(`${file} cannot be read as JSON.`)
}
const flaw = findFlaw(proof)
if (flaw) fail(`The proof does not hold: ${flaw}.`)
const { items, seedHash } = proof as Proof
process.stdout.write(`The proof holds. From the seed that was promised as ${seedHash}:\n`)
for (const [index, item] of items.entries()) process.stdout.write(`  ${index + 1}. ${item}\n`)

/** `bun run verify-draw PROOF.json [PURCHASE.json]`: repeats the draw of an opened pack, offline. */
import { findBreach, findFlaw, type Proof } from '../src/play/packs/proof.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { fail } from './command/explain.ts'
import { parseDocument } from './command/json-file.ts'

const command = declareCommand({
  name: 'verify-draw',
  summary: 'Verifies the proof of an opened pack, offline.',
  examples: [
    ['proof.json', 'repeats the draw and compares the items'],
    ['proof.json purchase.json', 'also compares it with the commitment of the purchase'],
  ],
  notes: 'The proof is the response of curl -s localhost:3000/api/packs/proofs/USER_PACK_ID.',
  database: false,
})
  .argument('<proof>', 'file with the proof')
  .argument('[purchase]', 'file with the response that started the purchase')

const readJson = (path: string) => parseDocument(path, () => Bun.file(path).text())

await runCommand(command, async ({ parameters: [file, purchaseFile] }) => {
  const read = await readJson(file)
  const flaw = findFlaw(read)
  if (flaw) fail(`The proof is not valid: ${flaw}.`)
  const proof = read as Proof
  const breach = purchaseFile ? findBreach(proof, await readJson(purchaseFile)) : null
  if (breach) fail(`The proof does not match the purchase: ${breach}.`)
  const { seedHash, termsHash, items } = proof
  const verdict = purchaseFile
    ? ['The proof is valid, and matches the purchase:']
    : [
        'The proof is valid. Compare its seedHash and termsHash with those of your purchase:',
        `  seedHash   ${seedHash}`,
        `  termsHash  ${termsHash}`,
      ]
  return {
    json: { holds: true, promiseKept: purchaseFile ? true : null, seedHash, termsHash, items },
    text: [...verdict, ...items.map((item, index) => `  ${index + 1}. ${item}`)].join('\n'),
  }
})

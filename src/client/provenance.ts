/** Verifies the history of an item with Web Crypto, by the steps of `bun run verify-provenance`. */
import {
  bytesOf,
  type Checks,
  hasMembers,
  isHash,
  isListOf,
  isText,
  requireCrypto,
  sha256,
} from './digest.ts'
import type { Schemas } from './operations.ts'
import { type Verdict, verifyDraw } from './proof.ts'

export type Provenance = Schemas['Provenance']
type Link = Pick<
  Provenance['transfers'][number],
  'sequence' | 'ref' | 'ownerHash' | 'at' | 'previousHash' | 'hash'
>
type Chain = Pick<Provenance, 'collectibleId' | 'serialNumber'> & {
  origin: Pick<Provenance['origin'], 'source' | 'at' | 'hash'>
  transfers: Link[]
}

/** Version of the hashed form. */
const VERSION = 1

/**
 * Recomputes the hash of each link. With the proof of the pack that the item was drawn from, also repeats the draw, and looks for
 * the item in it.
 * @throws Error without Web Crypto, as `verifyDraw`
 */
export async function verifyProvenance(provenance: unknown, proof?: unknown): Promise<Verdict> {
  requireCrypto()
  if (!hasMembers(provenance, CHAIN)) return flawed('it is no history of this format')
  const flaw = await findBreak(provenance)
  if (flaw !== null) return flawed(flaw)
  return proof === undefined ? { holds: true } : verifyOrigin(provenance, proof)
}

const flawed = (flaw: string): Verdict => ({ holds: false, flaw })

async function findBreak({ collectibleId, serialNumber, origin, transfers }: Chain): Promise<string | null> {
  const item = [VERSION, collectibleId, serialNumber]
  if ((await hashOf([...item, 1, origin.source, origin.at])) !== origin.hash) return 'link 1 was changed'
  let before = origin.hash
  for (const [index, { sequence, ref, ownerHash, at, previousHash, hash }] of transfers.entries()) {
    const number = index + 2
    if (sequence !== number) return `link ${number} is missing`
    if (previousHash !== before) return `link ${number} does not follow the previous one`
    const recomputed = await hashOf([...item, sequence, ref, ownerHash, at, previousHash])
    if (recomputed !== hash) return `link ${number} was changed`
    before = hash
  }
  return null
}

async function verifyOrigin({ collectibleId, origin }: Chain, proof: unknown): Promise<Verdict> {
  const verdict = await verifyDraw(proof)
  if (!verdict.holds) return verdict
  // Guarantee of the cast: a value of another form does not hold.
  const { userPackId, items } = proof as Schemas['Proof']
  const isDrawn = items.some(
    (id, position) => id === collectibleId && origin.source === `pack:${userPackId}:${position}`,
  )
  return isDrawn ? verdict : flawed('the item is not the one that was drawn')
}

const hashOf = (members: unknown[]) => sha256(bytesOf(JSON.stringify(members)))

const isCount = (value: unknown) => Number.isSafeInteger(value)
const LINK: Checks<Link> = {
  sequence: isCount,
  ref: isText,
  at: isText,
  ownerHash: isHash,
  previousHash: isHash,
  hash: isHash,
}
const ORIGIN: Checks<Chain['origin']> = { source: isText, at: isText, hash: isHash }
/** Other members may come: later versions of the API add some, and no hash is of them. */
const CHAIN: Checks<Chain> = {
  collectibleId: isText,
  serialNumber: isCount,
  origin: value => hasMembers(value, ORIGIN),
  transfers: value => isListOf(value, link => hasMembers(link, LINK)),
}

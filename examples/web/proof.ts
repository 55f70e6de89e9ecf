/** Verifies the draw of a pack in the browser with Web Crypto: the same steps as `bun run verify-draw`. */

export interface Proof {
  userPackId: string
  packId: string
  itemsPerPack: number
  weights: { id: string; rarity: string; weight: number }[]
  serverSeed: string
  clientSeed: string
  items: string[]
}

/** What the purchase published before the draw. */
export interface Commitment {
  seedHash: string
  termsHash: string
}

/** What does not follow from what was published. `position` counts from 1. */
export type Flaw = { kind: 'seed' | 'odds' } | { kind: 'item'; position: number }

const SPACE = 2n ** 64n
const bytesOf = (text: string) => new TextEncoder().encode(text)
const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
const toHex = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map(byte => byte.toString(16).padStart(2, '0')).join('')
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) => toHex(await crypto.subtle.digest('SHA-256', bytes))

/** Null when the draw follows from what was published before it; else what does not. */
export async function findFlaw(proof: Proof, { seedHash, termsHash }: Commitment): Promise<Flaw | null> {
  if ((await sha256(fromHex(proof.serverSeed))) !== seedHash) return { kind: 'seed' }
  const weights = proof.weights.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const terms = [
    proof.packId,
    proof.itemsPerPack,
    weights.map(({ id, rarity, weight }) => [id, rarity, weight]),
  ]
  if ((await sha256(bytesOf(JSON.stringify(terms)))) !== termsHash) return { kind: 'odds' }
  const total = weights.reduce((sum, { weight }) => sum + weight, 0)
  const key = await crypto.subtle.importKey(
    'raw',
    fromHex(proof.serverSeed),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  for (let index = 0; index < proof.itemsPerPack; index++) {
    const message = `${proof.clientSeed}:${proof.userPackId}:${index}`
    if (itemAt(weights, await drawNumber(key, message, total)) !== proof.items[index])
      return { kind: 'item', position: index + 1 }
  }
  return null
}

/** Rejection sampling: numbers of the incomplete last interval would favour some items. */
async function drawNumber(key: CryptoKey, message: string, total: number): Promise<number> {
  const limit = SPACE - (SPACE % BigInt(total))
  for (let round = 0; ; round++) {
    const text = round === 0 ? message : `${message}:${round}`
    const digest = new DataView(await crypto.subtle.sign('HMAC', key, bytesOf(text)))
    for (let offset = 0; offset < digest.byteLength; offset += 8) {
      const number = digest.getBigUint64(offset)
      if (number < limit) return Number(number % BigInt(total))
    }
  }
}

function itemAt(weights: Proof['weights'], number: number): string | undefined {
  let upTo = 0
  for (const { id, weight } of weights) {
    upTo += weight
    if (number < upTo) return id
  }
}

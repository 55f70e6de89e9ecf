/** Examples for the OpenAPI document. */
import { makeProof } from './proof.ts'
import { hashOfLink, hashOfOrigin, hashOfOwner } from './provenance-chain.ts'

const weights = [
  { id: 'goalkeeper-gloves', rarity: 'common', weight: 700_000 },
  { id: 'winning-goal', rarity: 'rare', weight: 300_000 },
]

export const examplePack = {
  id: 'starter',
  name: 'Starter pack',
  description: 'Three moments of the season.',
  imageUrl: null,
  price: { amount: 100, currency: 'POINTS' },
  itemsPerPack: 1,
  supply: { total: 500, remaining: 481 },
  odds: [
    { rarity: 'common', probability: '0.700000' },
    { rarity: 'rare', probability: '0.300000' },
  ],
  sponsorId: null,
  requires: {},
  tradable: true,
  active: true,
  startsAt: null,
  endsAt: null,
}

const gloves = {
  id: 'goalkeeper-gloves',
  name: 'The keeper’s gloves',
  description: 'Worn in the derby.',
  imageUrl: null,
  rarity: 'common',
}

export const examplePackWithItems = {
  ...examplePack,
  items: [
    { ...gloves, weight: 700_000 },
    {
      ...gloves,
      id: 'winning-goal',
      name: 'The winning goal',
      description: 'Minute 94.',
      rarity: 'rare',
      weight: 300_000,
    },
  ],
}

const userPackId = '01981e2c-7c1f-7000-8000-000000000004'

export const exampleProof = makeProof({
  userPackId,
  packId: 'starter',
  itemsPerPack: 1,
  weights,
  serverSeed: '5eed'.repeat(16),
  clientSeed: 'up the harbour',
})

export const exampleUserPack = {
  id: userPackId,
  packId: 'starter',
  purchaseId: '01981e2c-7c1f-7000-8000-000000000003',
  state: 'sealed',
  seedHash: exampleProof.seedHash,
  createdAt: '2026-08-15T18:31:00.000Z',
  openedAt: null,
}

export const examplePurchase = {
  id: exampleUserPack.purchaseId,
  packId: 'starter',
  status: 'pending',
  price: examplePack.price,
  seedHash: exampleProof.seedHash,
  termsHash: exampleProof.termsHash,
  createdAt: '2026-08-15T18:30:00.000Z',
  expiresAt: '2026-08-15T18:45:00.000Z',
  completedAt: null,
  userPack: null,
}

export const exampleCompleted = {
  ...examplePurchase,
  status: 'completed',
  completedAt: '2026-08-15T18:31:00.000Z',
  userPack: exampleUserPack,
}

export const exampleOpened = {
  userPack: { ...exampleUserPack, state: 'opened', openedAt: '2026-08-15T18:32:00.000Z' },
  items: [{ ...gloves, id: exampleProof.items[0] ?? '', serialNumber: 42 }],
  proof: exampleProof,
}

export const exampleCollection = {
  items: [
    {
      ...gloves,
      count: 2,
      serialNumbers: [42, 97],
      resting: [{ serialNumber: 97, until: '2026-08-16T18:30:00.000Z' }],
      untradable: [],
    },
  ],
  nextCursor: null,
}

const serial = { collectibleId: 'goalkeeper-gloves', serialNumber: 42 }
const origin = { source: `pack:${userPackId}:0`, at: '2026-08-15T18:32:00.000Z' }
const originHash = hashOfOrigin({ ...serial, source: origin.source, timestamp: origin.at })
const transfer = {
  sequence: 2,
  ref: 'trade:01981e2c-7c1f-7000-8000-000000000009',
  ownerHash: hashOfOwner('5f2b', '01981e2c-7c1f-7000-8000-000000000010'),
  at: '2026-08-17T09:00:00.000Z',
  previousHash: originHash,
}

export const exampleProvenance = {
  ...serial,
  name: 'Goalkeeper gloves',
  imageUrl: null,
  rarity: 'rare',
  origin: { ...origin, owner: { state: 'active', handle: 'calebe' }, hash: originHash },
  transfers: [
    {
      ...transfer,
      owner: { state: 'active', handle: null },
      hash: hashOfLink({ ...serial, ...transfer, timestamp: transfer.at }),
    },
  ],
}

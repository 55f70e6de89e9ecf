/** The demonstration packs: moments of a season, in five rarities. */

/** id, name, description, rarity */
export const collectibles = [
  ['floodlights-on', 'Floodlights on', 'The ground at dusk, an hour before the derby.', 'common'],
  ['half-time-tea-moment', 'Half-time tea', 'Steam over the north stand in January.', 'common'],
  ['away-end', 'The away end', 'Four hundred who made the trip.', 'common'],
  ['corner-flag', 'Corner flag', 'Bent by the wind, and by the celebration.', 'common'],
  ['muddy-boots', 'Muddy boots', 'After ninety minutes in the rain.', 'common'],
  ['anthem', 'The anthem', 'Forty thousand, a cappella.', 'uncommon'],
  ['derby-tackle', 'The derby tackle', 'Clean, late in the second half, and decisive.', 'uncommon'],
  ['academy-debut', 'Academy debut', 'Seventeen years and nine days old.', 'uncommon'],
  ['double-save', 'Double save', 'Left hand, then right foot.', 'rare'],
  ['overhead-kick', 'Overhead kick', 'Voted goal of the month.', 'rare'],
  ['captains-armband', 'The captain’s armband', 'Handed over for the last time.', 'epic'],
  ['minute-ninety-four', 'Minute 94', 'The goal that kept us up.', 'epic'],
  ['cup-final-whistle', 'Cup final whistle', 'The first cup in thirty-one years.', 'legendary'],
] as const

interface SeedPack {
  id: string
  name: string
  description: string
  price: { amount: number; currency: string }
  itemsPerPack: number
  supply?: number
  sponsorId?: string
  active?: boolean
  /** Probabilities of the rarities in millionths; items of one rarity share them equally. */
  odds: Record<string, number>
}

export const packs: SeedPack[] = [
  {
    id: 'starter',
    name: 'Starter pack',
    description: 'Three moments to begin a collection.',
    price: { amount: 100, currency: 'POINTS' },
    itemsPerPack: 3,
    odds: { common: 800_000, uncommon: 180_000, rare: 20_000 },
  },
  {
    id: 'derby-day',
    name: 'Derby day',
    description: 'Five moments, with better odds for the rare ones. Five hundred, then never again.',
    price: { amount: 400, currency: 'POINTS' },
    itemsPerPack: 5,
    supply: 500,
    sponsorId: 'northlight-energy',
    odds: { common: 600_000, uncommon: 270_000, rare: 100_000, epic: 28_000, legendary: 2_000 },
  },
  {
    id: 'legends',
    name: 'Legends',
    description: 'Five moments, none of them common.',
    price: { amount: 499, currency: 'EUR' },
    itemsPerPack: 5,
    supply: 50,
    odds: { uncommon: 600_000, rare: 300_000, epic: 90_000, legendary: 10_000 },
  },
  {
    id: 'pre-season',
    name: 'Pre-season',
    description: 'Was on sale in July.',
    price: { amount: 50, currency: 'POINTS' },
    itemsPerPack: 2,
    active: false,
    odds: { common: 1_000_000 },
  },
]

/** The weights of a pack: the share of each rarity split among its items; the first item gets the remainder. */
export function weightsOf({ odds }: SeedPack): { id: string; weight: number }[] {
  return Object.entries(odds).flatMap(([rarity, share]) => {
    const ids = collectibles.filter(([, , , of]) => of === rarity).map(([id]) => id)
    const each = Math.floor(share / ids.length)
    return ids.map((id, index) => ({ id, weight: index === 0 ? share - each * (ids.length - 1) : each }))
  })
}

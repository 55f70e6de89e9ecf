/** The demonstration products of the fan shop. Texts are in English; `inLanguages` has the others. */
import type { ProductEntry } from '../../src/play/shop/entry-schema.ts'

/** What the file product delivers: `dev` puts it into the folder DOWNLOADS. */
export const WALLPAPER = 'derby-night-wallpaper.svg'

interface SeedVariant {
  id: string
  name: string
  sku: string
  /** Unlimited if omitted. */
  stock?: number
}

export type SeedProduct = Omit<ProductEntry, 'name' | 'description' | 'variants' | 'images' | 'startsAt'> & {
  name: string
  description: string
  /** In days from the seed. */
  startsIn?: number
  variants: SeedVariant[]
}

const sizes = (sku: string, stocks: Record<'S' | 'M' | 'L' | 'XL', number>): SeedVariant[] =>
  Object.entries(stocks).map(([size, stock]) => ({
    id: size.toLowerCase(),
    name: size,
    sku: `${sku}-${size}`,
    stock,
  }))

export const products: SeedProduct[] = [
  {
    id: 'home-scarf',
    name: 'Home scarf',
    description: 'Knitted in the colours of the club. Goes with every weather.',
    category: 'scarves',
    kind: 'physical',
    price: { amount: 1_900, currency: 'EUR' },
    taxRate: { PT: 0.23, DE: 0.19, FR: 0.2, GB: 0.2, default: 0.21 },
    variants: [{ id: 'one-size', name: 'One size', sku: 'SC-HOME' }],
  },
  {
    id: 'home-shirt-2025',
    name: 'Home shirt',
    description: 'The striped shirt of the season, made of recycled yarn.',
    category: 'shirts',
    kind: 'physical',
    price: { amount: 7_900, currency: 'EUR' },
    taxRate: { PT: 0.23, DE: 0.19, FR: 0.2, GB: 0.2, default: 0.21 },
    variants: sizes('SH-HOME', { S: 120, M: 240, L: 240, XL: 80 }),
    maxPerFan: 5,
  },
  {
    id: 'crest-mug',
    name: 'Crest mug',
    description: 'For the tea before kick-off. Points only.',
    category: 'home',
    kind: 'physical',
    price: { amount: 350, currency: 'POINTS' },
    sponsorId: 'northlight-energy',
    variants: [{ id: 'standard', name: 'Standard', sku: 'MG-CREST', stock: 300 }],
  },
  {
    id: 'minute-94-print',
    name: 'Minute 94, framed',
    description: 'A numbered print of the goal, for fans who own the moment.',
    category: 'prints',
    kind: 'physical',
    price: { amount: 4_500, currency: 'EUR' },
    variants: [{ id: 'standard', name: 'Standard', sku: 'PR-94', stock: 94 }],
    maxPerFan: 1,
    requires: { collectibleId: 'minute-ninety-four', countries: ['DE', 'ES', 'FR', 'GB', 'IE', 'PT'] },
  },
  {
    id: 'pin-set',
    name: 'Three enamel pins',
    description: 'Ball, star and anchor, on a card. Two sets for each fan.',
    category: 'home',
    kind: 'physical',
    price: { amount: 900, currency: 'EUR' },
    variants: [{ id: 'standard', name: 'Standard', sku: 'PN-3', stock: 500 }],
    maxPerFan: 2,
    shipsTo: ['DE', 'ES', 'FR', 'GB', 'IE', 'IT', 'PT'],
  },
  {
    id: 'stadium-tour-for-two',
    name: 'Stadium tour for two',
    description: 'Dressing rooms, tunnel and pitch, any Saturday. Show the code at the desk.',
    category: 'experiences',
    kind: 'voucher',
    price: { amount: 3_000, currency: 'EUR' },
    variants: [{ id: 'standard', name: 'Standard', sku: 'TR-2', stock: 200 }],
  },
  {
    id: 'starter-pack-gift',
    name: 'Starter pack',
    description: 'Three moments in a sealed pack, in your collection at once.',
    category: 'collectibles',
    kind: 'pack',
    price: { amount: 199, currency: 'EUR' },
    variants: [{ id: 'standard', name: 'Standard', sku: 'PK-START' }],
    delivers: { packId: 'starter' },
  },
  {
    id: 'derby-night-wallpaper',
    name: 'Derby night wallpaper',
    description: 'The floodlit ground for your phone, as a file to keep.',
    category: 'digital',
    kind: 'digital',
    price: { amount: 80, currency: 'POINTS' },
    variants: [{ id: 'standard', name: 'Standard', sku: 'DG-WALL' }],
    delivers: { file: WALLPAPER },
  },
  {
    id: 'signed-shirt',
    name: 'Signed shirt',
    description: 'Signed by the whole squad after the cup final.',
    category: 'shirts',
    kind: 'physical',
    price: { amount: 24_900, currency: 'EUR' },
    variants: [{ id: 'l', name: 'L', sku: 'SH-SIGNED', stock: 0 }],
    maxPerFan: 1,
  },
  {
    id: 'centenary-shirt',
    name: 'Centenary shirt',
    description: 'On sale from the club’s hundredth birthday.',
    category: 'shirts',
    kind: 'physical',
    price: { amount: 9_900, currency: 'EUR' },
    variants: sizes('SH-100', { S: 100, M: 200, L: 200, XL: 100 }),
    maxPerFan: 2,
    startsIn: 45,
  },
]

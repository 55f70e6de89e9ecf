/** The pictures of shared pages for link previews: cards on a shelf, and the score of an exact prediction. */
import type { Node } from '@takumi-rs/wasm'
import type { Side } from '../../club/teams/teams.ts'
import type { ShownLocker } from '../lockers/schema.ts'
import type { SharedOpening } from '../packs/shared-opening.ts'
import type { SharedPrediction } from '../predictions/shared-prediction.ts'
import type { Art } from './art.ts'
import { nameOf } from './pages.ts'
import { type Words, wordsFor } from './words.ts'

export interface Picture {
  /** Pictures of the catalogue that it shows. */
  urls: string[]
  /** By URL, as far as they can be read. */
  draw(art: ReadonlyMap<string, Art>): Node
}

/** The font of the renderer has Latin letters, digits and punctuation. */
const isDrawable = (text: string) => /^[\x20-\x7e\u00a0-\u024f\u2010-\u2027\u2030-\u203a]+$/.test(text)

type Style = NonNullable<Node['style']>

const box = (style: Style, children: Node[]): Node => ({
  type: 'container',
  style: { display: 'flex', ...style },
  children,
})

const write = (text: string, style: Style): Node[] =>
  isDrawable(text) ? [{ type: 'text', text, style: { color: '#ffffff', ...style } }] : []

const ONE_LINE = {
  overflow: 'hidden',
  whiteSpace: 'nowrap',
  textOverflow: 'ellipsis',
  width: '100%',
} as const
const heading = (text: string) =>
  write(text, { fontSize: 62, fontWeight: 700, lineHeight: 1.15, ...ONE_LINE })
const line = (text: string) => write(text, { fontSize: 32, opacity: 0.85, lineHeight: 1.3, ...ONE_LINE })

const page = (background: string, children: Node[]) =>
  box(
    {
      flexDirection: 'column',
      justifyContent: 'space-between',
      width: '100%',
      height: '100%',
      padding: 56,
      backgroundImage: background,
    },
    children,
  )

type Theme = ShownLocker['theme']

/** The looks of lockers in the example app. */
const THEMES: Record<Theme, { background: string; plank: string }> = {
  classic: { background: 'linear-gradient(170deg, #4a2f1d, #21130b)', plank: '#9a6a3f' },
  night: { background: 'radial-gradient(130% 90% at 50% 0%, #27407f, #0a1024 75%)', plank: '#5d7bd6' },
  pitch: {
    background: 'linear-gradient(90deg, #0f5132 0 25%, #175a3b 25% 50%, #0f5132 50% 75%, #175a3b 75%)',
    plank: '#8fd6ab',
  },
  terrace: {
    background: 'linear-gradient(180deg, #4b2030 0 25%, #532939 25% 50%, #4b2030 50% 75%, #532939 75%)',
    plank: '#e08a9d',
  },
}

const RARITIES: Record<string, string> = {
  uncommon: '#22a565',
  rare: '#3284ff',
  epic: '#a45cff',
  legendary: '#ffb41f',
}

const WIDTH = 1_200 - 2 * 56
const [MAX_CARDS, MAX_CARD_WIDTH, GAP, BORDER] = [6, 222, 22, 7]

interface DrawnCard {
  name: string
  imageUrl: string | null
  rarity: string
  serialNumber: number
}

/** Cards on a shelf, under a heading. */
function shelf(theme: Theme, texts: Node[], cards: DrawnCard[], words: Words): Picture {
  const { background, plank } = THEMES[theme]
  const shown = cards.slice(0, MAX_CARDS)
  const width = Math.min(MAX_CARD_WIDTH, Math.floor((WIDTH - GAP * (shown.length - 1)) / shown.length))
  return {
    urls: shown.flatMap(({ imageUrl }) => imageUrl ?? []),
    draw: art =>
      page(background, [
        box({ flexDirection: 'column', gap: 8, width: '100%' }, texts),
        box({ flexDirection: 'column', gap: 16, width: '100%' }, [
          box(
            { gap: GAP, justifyContent: 'center', width: '100%' },
            shown.map(card => drawCard(card, width, words, art)),
          ),
          box({ width: '100%', height: 12, borderRadius: 6, backgroundColor: plank }, []),
        ]),
      ]),
  }
}

function drawCard(card: DrawnCard, width: number, words: Words, art: ReadonlyMap<string, Art>): Node {
  const { name, imageUrl, rarity, serialNumber } = card
  const found = imageUrl === null ? undefined : art.get(imageUrl)
  const inner = width - 2 * BORDER
  const height = Math.floor(inner * 1.25)
  const picture: Node = found
    ? { type: 'image', src: found.src, width: inner, height, style: { objectFit: 'cover', borderRadius: 10 } }
    : box(
        {
          alignItems: 'center',
          justifyContent: 'center',
          width: inner,
          height,
          padding: 10,
          borderRadius: 10,
          backgroundColor: 'rgba(0, 0, 0, 0.25)',
        },
        write(name, { fontSize: 22, textAlign: 'center' }),
      )
  const number = words.serial(serialNumber)
  return box(
    {
      flexDirection: 'column',
      alignItems: 'center',
      gap: 6,
      width,
      padding: BORDER,
      borderRadius: 16,
      backgroundColor: RARITIES[rarity] ?? '#8a97a3',
    },
    [
      picture,
      ...write(isDrawable(number) ? number : `${serialNumber}`, {
        fontSize: 22,
        fontWeight: 700,
        color: '#10181f',
      }),
    ],
  )
}

export function lockerPicture(locker: ShownLocker, words: Words): Picture {
  const { handle, title, theme, shelves } = locker
  const cards = shelves.flatMap(({ items }) => items)
  const by = `@${handle} · ${drawable(words).items(cards.length)}`
  const texts = isDrawable(title) ? [...heading(title), ...line(by)] : heading(by)
  return shelf(theme, texts, cards, words)
}

export function openingPicture({ name, owner, items }: SharedOpening, words: Words): Picture {
  const count = drawable(words).items(items.length)
  const by = owner.handle === null ? count : `@${owner.handle} · ${count}`
  const texts = isDrawable(name) ? [...heading(name), ...line(by)] : heading(by)
  return shelf('night', texts, rarestFirst(items), words)
}

const ORDER = ['legendary', 'epic', 'rare', 'uncommon']
const rankOf = (rarity: string) => (ORDER.includes(rarity) ? ORDER.indexOf(rarity) : ORDER.length)
const rarestFirst = (items: SharedOpening['items']) =>
  items.toSorted((one, other) => rankOf(one.rarity) - rankOf(other.rarity))

/** In English where the font lacks the letters of the language. */
const drawable = (words: Words): Words => (isDrawable(words.calledIt(null)) ? words : wordsFor([]))

export function predictionPicture(prediction: SharedPrediction, words: Words): Picture {
  const { home, away, homeScore, awayScore, competition, owner } = prediction
  const name = nameOf(owner)
  const called = drawable(words).calledIt(name !== null && isDrawable(name) ? name : null)
  const [from, to] = [darken(home.primaryColor), darken(away.primaryColor)]
  return {
    urls: [home, away].flatMap(({ crestUrl }) => crestUrl ?? []),
    draw: art =>
      page(`linear-gradient(115deg, ${from} 0 48%, ${to} 52%)`, [
        box({ flexDirection: 'column', gap: 4, width: '100%' }, [...heading(called), ...line(competition)]),
        box({ alignItems: 'center', justifyContent: 'space-between', width: '100%' }, [
          drawSide(home, art),
          ...write(`${homeScore} – ${awayScore}`, {
            fontSize: homeScore + awayScore > 9 ? 108 : 150,
            fontWeight: 700,
            whiteSpace: 'nowrap',
          }),
          drawSide(away, art),
        ]),
      ]),
  }
}

const CREST = 210

function drawSide({ name, shortName, crestUrl }: Side, art: ReadonlyMap<string, Art>): Node {
  const found = crestUrl === null ? undefined : art.get(crestUrl)
  const crest: Node[] = found
    ? [{ type: 'image', src: found.src, width: CREST, height: CREST, style: { objectFit: 'contain' } }]
    : write(shortName, { fontSize: 84, fontWeight: 700 })
  return box({ flexDirection: 'column', alignItems: 'center', gap: 18, width: 320 }, [
    ...crest,
    ...write(name, { fontSize: 34, fontWeight: 700, textAlign: 'center', ...ONE_LINE }),
  ])
}

/** Dark enough for white text, whatever the colour. */
function darken(colour: string | null): string {
  if (colour === null) return '#0b3f2a'
  const channels = [1, 3, 5].map(start => Number.parseInt(colour.slice(start, start + 2), 16))
  return `#${channels
    .map(one =>
      Math.round(one * 0.42)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

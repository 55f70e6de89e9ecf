/**
 * The pictures of the demonstration catalogue, drawn as SVG. The same entries give the same bytes. The development server
 * serves them at `/demo/pictures/`.
 */
import { rewards, teams } from '../demo-catalogue.ts'
import { collectibles, packs } from '../demo-packs.ts'
import { players } from '../demo-players.ts'
import { products } from '../demo-products.ts'
import { questIds } from '../demo-quests.ts'
import { sponsors } from '../demo-sponsors.ts'
import { pictureUrl } from './address.ts'
import { backdrops } from './backdrops.ts'
import { drawCrest } from './crests.ts'
import { motifs } from './motifs.ts'
import { drawPlayer } from './players.ts'
import { box, INK, line, type Palette, palettes, path, place, type Size, star, svg } from './svg.ts'

/** The motif, the backdrop and the palette. */
type Scene = [keyof typeof motifs, keyof typeof backdrops, keyof typeof palettes]

const rewardScenes: Record<string, Scene> = {
  'welcome-wallpaper': ['phone', 'floodlit', 'night'],
  'anthem-ringtone': ['bell', 'rays', 'royal'],
  'scarf-discount': ['scarf', 'hoops', 'ember'],
  'half-time-tea': ['tea', 'floodlit', 'dusk'],
  'match-poster': ['poster', 'hoops', 'sea'],
  'family-day-entry': ['tickets', 'confetti', 'pitch'],
  'away-coach-seat': ['coach', 'hoops', 'night'],
  'training-top': ['trainingTop', 'pitch', 'pitch'],
  'derby-ticket': ['ticket', 'floodlit', 'ember'],
  'stadium-tour': ['tunnel', 'floodlit', 'sea'],
  'home-shirt': ['shirt', 'rays', 'night'],
  'pitch-side-photo': ['camera', 'pitch', 'pitch'],
  'signed-ball': ['signedBall', 'rays', 'sand'],
  'mascot-for-a-day': ['mascot', 'confetti', 'royal'],
  'retired-founders-badge': ['badge', 'rays', 'steel'],
  'winter-cup-early-bird': ['ticket', 'confetti', 'steel'],
  'centenary-coin': ['coin', 'rays', 'sand'],
}

const cardScenes: Record<string, Scene> = {
  'floodlights-on': ['mast', 'floodlit', 'night'],
  'half-time-tea-moment': ['tea', 'floodlit', 'sea'],
  'away-end': ['binoculars', 'floodlit', 'dusk'],
  'corner-flag': ['flag', 'pitch', 'pitch'],
  'muddy-boots': ['boots', 'hoops', 'sand'],
  anthem: ['song', 'floodlit', 'royal'],
  'derby-tackle': ['tackle', 'pitch', 'pitch'],
  'academy-debut': ['debutShirt', 'rays', 'sea'],
  'double-save': ['gloves', 'rays', 'night'],
  'overhead-kick': ['overhead', 'floodlit', 'ember'],
  'captains-armband': ['armband', 'hoops', 'royal'],
  'minute-ninety-four': ['board', 'floodlit', 'dusk'],
  'cup-final-whistle': ['trophy', 'confetti', 'sand'],
}

const questScenes: Record<string, Scene> = {
  'first-reward': ['badge', 'rays', 'sea'],
  'reward-hunter': ['trophy', 'rays', 'royal'],
  'pack-collector': ['armband', 'hoops', 'dusk'],
  'shop-week': ['bag', 'hoops', 'ember'],
  'matchday-regular': ['calendar', 'pitch', 'pitch'],
  'every-month': ['flame', 'rays', 'dusk'],
  'matchday-out': ['tickets', 'floodlit', 'sea'],
  'attendance-bronze': ['bronze', 'rays', 'ember'],
  'attendance-silver': ['silver', 'rays', 'steel'],
  'attendance-gold': ['gold', 'rays', 'sand'],
  'weekly-fan': ['flame', 'floodlit', 'ember'],
  'ever-present': ['mast', 'floodlit', 'night'],
  oracle: ['target', 'hoops', 'royal'],
  'run-in': ['flag', 'pitch', 'pitch'],
}

const productScenes: Record<string, Scene> = {
  'home-scarf': ['scarf', 'floodlit', 'royal'],
  'home-shirt-2025': ['stripedShirt', 'pitch', 'sea'],
  'crest-mug': ['mug', 'hoops', 'ember'],
  'minute-94-print': ['framed', 'rays', 'dusk'],
  'pin-set': ['pins', 'confetti', 'night'],
  'stadium-tour-for-two': ['stadium', 'rays', 'steel'],
  'starter-pack-gift': ['foils', 'confetti', 'pitch'],
  'derby-night-wallpaper': ['lockScreen', 'hoops', 'night'],
  'signed-shirt': ['signedShirt', 'floodlit', 'sand'],
  'centenary-shirt': ['centenaryShirt', 'rays', 'royal'],
}

const sponsorScenes: Record<string, Scene> = {
  'northlight-energy': ['flame', 'floodlit', 'sand'],
  'tideline-ferries': ['flag', 'hoops', 'sea'],
}

const packPalettes: Record<string, keyof typeof palettes> = {
  starter: 'pitch',
  'derby-day': 'ember',
  legends: 'royal',
  'pre-season': 'steel',
}

const WIDE: Size = { width: 640, height: 400 }
const CARD: Size = { width: 360, height: 480 }
const SQUARE: Size = { width: 240, height: 240 }

function drawScene(size: Size, [motif, backdrop, colours]: Scene, scale: number): string {
  const palette: Palette = palettes[colours]
  const drawn = motifs[motif](palette.thing, palette.trim)
  const behind = backdrops[backdrop](size, palette)
  return svg(size, `${behind}${place(drawn, size.width / 2, size.height / 2, scale, 0)}`)
}

/** A foil wrapper with toothed ends. */
function drawPack(colours: keyof typeof palettes, cards: number): string {
  const { deep, mid, accent }: Palette = palettes[colours]
  const teeth = (y: number, by: number) =>
    Array.from(
      { length: 13 },
      (_, nth) => `L${90 + nth * 15 + 7.5} ${y + by}L${90 + (nth + 1) * 15} ${y}`,
    ).join('')
  const wrapper = `M90 112${teeth(112, -10)}V436${Array.from({ length: 13 }, (_, nth) => `L${285 - nth * 15 - 7.5} 446L${285 - (nth + 1) * 15} 436`).join('')}Z`
  const fanned = Array.from({ length: Math.min(cards, 3) }, (_, nth) =>
    box(
      112,
      34,
      150,
      200,
      ['#ffffff', '#e9edf2', '#cfd6de'][nth] ?? '#fff',
      `rx="12" stroke="${INK}" stroke-opacity=".12" transform="rotate(${(nth - 1) * 9} 185 430)"`,
    ),
  )
  const shine = path('M120 112L170 112L110 436L90 436V290Z', '#fff', 'opacity=".16"')
  return svg(
    CARD,
    `${backdrops.rays(CARD, palettes[colours])}<g transform="translate(-7 0)"><g filter="url(#shadow)">${fanned.join('')}</g>
<g filter="url(#shadow)"><linearGradient id="foil" x1="0" y1="0" x2="1" y2="1"><stop stop-color="${mid}"/><stop offset=".5" stop-color="${deep}"/><stop offset="1" stop-color="${mid}"/></linearGradient>${path(wrapper, 'url(#foil)')}</g>
${shine}${line('M90 142H285M90 406H285', '#fff', 3, 'opacity=".35"')}${place(motifs.ball('', ''), 187, 250, 0.66)}${star(187, 356, 26, accent)}${star(140, 362, 14, accent)}${star(234, 362, 14, accent)}</g>`,
  )
}

/** The file that a demonstration product delivers: as high as the screen of a phone. */
export const drawWallpaper = () =>
  drawScene({ width: 1080, height: 2340 }, ['mast', 'floodlit', 'night'], 3.2)

/** Each picture by its address on the development server. */
export function drawPictures(): Map<string, string> {
  const drawn = new Map<string, string>()
  for (const [id, , , , , primary, secondary] of teams)
    drawn.set(pictureUrl('crests', id), drawCrest(id, primary, secondary))
  for (const { id } of rewards)
    drawn.set(pictureUrl('rewards', id), drawScene(WIDE, sceneOf(rewardScenes, id), 1.45))
  for (const [id] of collectibles)
    drawn.set(pictureUrl('cards', id), drawScene(CARD, sceneOf(cardScenes, id), 1.4))
  for (const id of questIds)
    drawn.set(pictureUrl('quests', id), drawScene(SQUARE, sceneOf(questScenes, id), 0.84))
  for (const { id } of products)
    drawn.set(pictureUrl('products', id), drawScene(WIDE, sceneOf(productScenes, id), 1.55))
  for (const { id } of sponsors)
    drawn.set(pictureUrl('sponsors', id), drawScene(SQUARE, sceneOf(sponsorScenes, id), 0.84))
  for (const [nth, { entry, primary, secondary }] of players.entries())
    drawn.set(entry.imageUrl, drawPlayer(nth, entry.number, primary, secondary))
  for (const { id, itemsPerPack } of packs)
    drawn.set(pictureUrl('packs', id), drawPack(packPalettes[id] ?? 'steel', itemsPerPack))
  return drawn
}

function sceneOf(scenes: Record<string, Scene>, id: string): Scene {
  const scene = scenes[id]
  if (!scene) throw new Error(`${id} has no picture.`)
  return scene
}

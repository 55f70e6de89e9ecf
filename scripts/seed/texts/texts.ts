/** The texts of the demonstration catalogue in all its languages. English is the default. */
import type { TextByLanguage } from '../../../src/core/texts.ts'
import { brazil } from './brazil.ts'
import { club } from './club.ts'
import { loyalty } from './loyalty.ts'
import { packs } from './packs.ts'
import { products } from './products.ts'
import { quests } from './quests.ts'
import { rewards } from './rewards.ts'

const translations: Record<string, [pt: string, ar: string]> = {
  ...club,
  ...loyalty,
  ...packs,
  ...products,
  ...quests,
  ...rewards,
}

/** @throws Error if a text lacks its translations */
export function inLanguages(en: string): TextByLanguage {
  const found = translations[en]
  if (!found) throw new Error(`the demonstration text "${en}" is not translated`)
  const [pt, ar] = found
  return { en, pt, 'pt-BR': brazil[en] ?? pt, ar }
}

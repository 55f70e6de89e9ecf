/** Who would get a campaign now, and what it says in each language. */
import { count } from 'drizzle-orm'
import type { Reader } from '../../../../db/index.ts'
import { defaultOf, type Text } from '../../../club/catalogue/texts.ts'
import { findSegment, parseWhen } from '../../../club/segments/segment-kind.ts'
import { fallbacksOf } from '../../../core/language-tags.ts'
import { judge } from '../../../fan/messages/judge.ts'
import { isMember } from '../segments/segments.ts'
import { type Campaign, readCampaign, versionOf } from './campaigns.ts'

/** @throws DomainError `campaign_not_found` */
export async function previewCampaign(reader: Reader, id: string) {
  const campaign = await readCampaign(reader, id)
  const languages = languagesOf(campaign)
  const fans = new Map(languages.map(language => [language, 0]))
  for (const { locale, fans: some } of await countByLocale(reader, campaign)) {
    const language = languageOf(locale, languages)
    fans.set(language, (fans.get(language) ?? 0) + some)
  }
  return {
    version: await versionOf(reader, campaign),
    fans: [...fans.values()].reduce((sum, some) => sum + some, 0),
    samples: languages.map(language => ({
      language,
      fans: fans.get(language) ?? 0,
      ...sampleOf(campaign, language),
    })),
  }
}

/** A segment that is switched off has no fans. */
async function countByLocale(reader: Reader, { segment: id }: Campaign) {
  const segment = id == null ? undefined : await findSegment(reader, id)
  if (id != null && segment?.active !== true) return []
  const { users } = reader.tables
  const when = segment ? parseWhen(segment.definition) : []
  return reader
    .select({ locale: users.locale, fans: count() })
    .from(users)
    .where(isMember(reader, when))
    .groupBy(users.locale)
}

/** Of a text without languages. */
const ANY = 'any'

/** The languages of its texts, the default first. */
function languagesOf({ title, body }: Campaign): string[] {
  const tags = [title, body].flatMap((text: Text) => (typeof text === 'string' ? [] : Object.keys(text)))
  return tags.length === 0 ? [ANY] : [...new Set(tags)]
}

const languageOf = (locale: string | null, languages: string[]): string =>
  fallbacksOf(locale ?? '').find(tag => languages.includes(tag)) ?? languages[0] ?? ANY

function sampleOf(campaign: Campaign, language: string) {
  const judged = judge(campaign, null, language)
  const { title, body, url } = campaign
  // A campaign has no conditions and no places.
  const texts =
    judged.outcome === 'rendered' ? judged.texts : { title: defaultOf(title), body: defaultOf(body), url }
  return { ...texts, imageUrl: campaign.imageUrl }
}

/** Rules as they are stored. Each version is stored as a whole, so that every past grant can be explained. */
import { completeEntry, instantOf } from '../../club/catalogue/entry.ts'
import { defaultOf } from '../../club/catalogue/texts.ts'
import { RuleEntry } from './entry-schema.ts'

/** The JSON of a version: an entry with all members. Instants are canonical. */
export type RuleContent = Required<RuleEntry>

export interface Rule extends Omit<RuleContent, 'name' | 'startsAt' | 'endsAt'> {
  /** In its default language. */
  name: string
  /** The revision of the rule set with which the rule became as it is. */
  version: number
  startsAt: Date | null
  endsAt: Date | null
}

export const contentOf = (entry: RuleEntry): RuleContent => ({
  ...completeEntry(RuleEntry, entry),
  when: entry.when ?? [],
  startsAt: instantOf(entry.startsAt)?.toISOString() ?? null,
  endsAt: instantOf(entry.endsAt)?.toISOString() ?? null,
})

export const ruleOf = (content: RuleContent, version: number): Rule => ({
  ...content,
  name: defaultOf(content.name),
  version,
  startsAt: instantOf(content.startsAt),
  endsAt: instantOf(content.endsAt),
})

/** Guarantee of the cast: only `upsert-rule.ts` writes versions. */
export const parseContent = (entry: string) => JSON.parse(entry) as RuleContent

import { availabilityMembers, EntrySlug, Maybe } from '../../club/catalogue/entry-schema.ts'
import { Text } from '../../club/catalogue/texts.ts'
import { Closed, Integer, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { RequiresEntry } from '../eligibility/requires.ts'

export const CampaignGives = Closed(
  {
    points: Maybe(Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Points.' })),
    account: Maybe(EntrySlug('The account in which the points are kept. Null: the points that fans spend.')),
    rewardId: Maybe(EntrySlug('Slug of a reward, which is claimed for the fan.')),
    packId: Maybe(EntrySlug('Slug of a pack, which the fan gets sealed.')),
    collectibleId: Maybe(EntrySlug('Slug of a collectible, of which the fan gets a copy.')),
  },
  { title: 'CampaignGives', description: 'What a code gives: at least one of these.' },
)
type CampaignGives = Static<typeof CampaignGives>

/** A campaign in a catalogue file. */
export const CampaignEntry = Closed(
  {
    id: EntrySlug('Slug of the campaign.'),
    name: Text(100, 'For the staff, and for the history of points.'),
    kind: OneOf(['shared', 'unique'], {
      description:
        '`shared`: all fans enter one code. `unique`: codes are generated for it, and each works for one fan.',
      errorNoun: 'shared or unique',
    }),
    code: Maybe(
      Type.String({
        minLength: 4,
        maxLength: 40,
        pattern: '^[A-Za-z0-9]+([ -][A-Za-z0-9]+)*$',
        description:
          'Kind `shared`: the code. Case, spaces and dashes, O and 0, I, L and 1 make no difference.',
        errorNoun: '4 to 40 letters and digits, in groups with spaces or dashes between them',
        examples: ['DERBY-2026'],
      }),
    ),
    gives: CampaignGives,
    requires: Maybe(RequiresEntry('What a fan needs to redeem a code.')),
    perFan: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        default: 1,
        description: 'How many codes of the campaign a fan can redeem, or how often the shared one.',
      }),
    ),
    total: Maybe(
      Integer({
        minimum: 1,
        description: 'How many redemptions all fans have together. Null: no limit.',
      }),
    ),
    ...availabilityMembers,
  },
  { title: 'Campaign' },
)
export type CampaignEntry = Static<typeof CampaignEntry>

/** What a campaign gives, or gave. Null: nothing of it. */
export type Gives = { [Name in keyof CampaignGives]-?: NonNullable<CampaignGives[Name]> | null }

export const givesOf = ({
  points = null,
  account = null,
  rewardId = null,
  packId = null,
  collectibleId = null,
}: CampaignGives): Gives => ({ points, account, rewardId, packId, collectibleId })

/** Guarantee of the cast: the import writes it. */
export const parseGives = (text: string): Gives => givesOf(JSON.parse(text) as CampaignGives)

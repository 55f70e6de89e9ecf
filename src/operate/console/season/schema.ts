/** Schemas of the page *Season*. */
import { Closed, Instant, Integer, Nullable, OneOf } from '../../../core/schemas.ts'
import { type Static, Type } from '../../../core/typebox.ts'
import { ACTIONS, STEPS } from '../../../figures/season/tally.ts'

/** In days. */
export const PERIODS = ['90', '30', '365'] as const

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A day, in UTC.' })
const Count = Integer({ minimum: 0 })
const Counts = Type.Array(Count)
const Sum = Closed({ currency: Type.String(), amount: Integer({ description: 'Points, or minor units.' }) })
const Money = Nullable(Type.Array(Sum), { description: 'Null for a role that does not see money.' })
const named = { id: Type.String(), name: Type.String() }

export const SeasonQuery = Closed({
  days: Type.Optional(
    Type.Union(
      PERIODS.map(period => Type.Literal(period)),
      { description: 'Number of days, including today.', default: PERIODS[0] },
    ),
  ),
  segment: Type.Optional(
    Type.String({
      pattern: '^(all|team:[a-z0-9-]{1,64}|country:[A-Z]{2})$',
      description: 'All fans, those of a team, or those of a country. For steps and retention. Default: all.',
    }),
  ),
})

const Balances = Closed(
  {
    bars: Type.Array(
      Closed({
        from: Count,
        to: Nullable(Count, { description: 'Excluded; null for the last bar.' }),
        fans: Count,
      }),
      { description: 'Fans by their points, with those who never had any in the first one.' },
    ),
    prices: Type.Array(
      Closed({
        ...named,
        kind: OneOf(['reward', 'pack', 'product']),
        points: Count,
        fans: Integer({ minimum: 0, description: 'Fans who have so many points.' }),
      }),
    ),
  },
  { title: 'SeasonBalances' },
)

const Result = Closed(
  {
    ...named,
    kind: OneOf(['rule', 'quest', 'reward', 'pack', 'product', 'sponsor']),
    times: Integer({ minimum: 0, description: 'In the weeks of the period.' }),
    points: Nullable(Integer(), {
      description: 'What it gave in the period, less what was taken back. Null: it gives none by itself.',
    }),
    redeemed: Nullable(Count, { description: 'Of rewards, in the period.' }),
    fans: Integer({ minimum: 0, description: 'Different fans, ever.' }),
    repeats: Integer({ minimum: 0, description: 'Of them, those with two or more.' }),
    sums: Money,
  },
  { title: 'SeasonResult' },
)

const Stock = Closed(
  {
    ...named,
    kind: OneOf(['reward', 'pack', 'product']),
    total: Nullable(Count, { description: 'Null: unlimited.' }),
    left: Nullable(Count, { description: 'Null: unlimited.' }),
    gone: Integer({ minimum: 0, description: 'Sold or claimed, ever.' }),
    inPeriod: Integer({ minimum: 0, description: 'Sold or claimed in the period.' }),
    daysLeft: Nullable(Count, { description: 'At the pace of the period. Null: it does not end.' }),
  },
  { title: 'SeasonStock' },
)

export const Season = Closed(
  {
    countedUntil: Nullable(Instant('Everything before it is counted.'), {
      description: 'Null: nothing is counted yet.',
    }),
    days: Type.Array(Day, { description: 'The oldest first; today is the last.' }),
    segments: Closed({ teams: Type.Array(Closed(named)), countries: Type.Array(Type.String()) }),
    funnel: Type.Array(Closed({ step: OneOf(STEPS), fans: Count }), {
      description: 'Of the fans who joined in the weeks of the period.',
    }),
    retention: Closed({
      weeks: Type.Array(
        Closed({
          week: Day,
          fans: Integer({ minimum: 0, description: 'Who joined in the week that begins on this day.' }),
          active: Type.Array(Count, {
            description: 'Of them, those who did something in the same week, in the next one, and so on.',
          }),
        }),
      ),
      teams: Type.Array(
        Closed({
          ...named,
          fans: Count,
          active: Type.Array(
            Closed({
              week: Integer({ minimum: 0, description: 'After the week of joining.' }),
              fans: Count,
              of: Integer({ minimum: 0, description: 'Fans who have reached that week.' }),
            }),
          ),
        }),
      ),
    }),
    points: Closed({
      issued: Counts,
      spent: Counts,
      ended: Type.Array(Count, { description: 'Expired, or taken back.' }),
      outstanding: Type.Array(Integer(), { description: 'What fans had at the end of each day.' }),
      held: Integer({ minimum: 0, description: 'Held for purchases that wait for their payment.' }),
      worth: Nullable(Sum, {
        description:
          'Of what fans have now. Null without `pointValue` and `currency`, or for a role without money.',
      }),
      isMoneyHidden: Type.Boolean({ description: 'Whether the role does not see money.' }),
    }),
    balances: Balances,
    matches: Type.Array(
      Closed({
        ...named,
        kickoffAt: Instant('Kick-off.'),
        checkIns: Counts,
        predictions: Counts,
        packs: Counts,
      }),
      {
        description:
          'The last eight matches of the period: what all fans did in each five minutes, from two hours before kick-off to two and a half after it.',
      },
    ),
    results: Type.Array(Result),
    sponsors: Type.Array(
      Closed({
        ...named,
        actions: Type.Array(Closed({ action: OneOf(ACTIONS), days: Counts }), {
          description: 'By day, of what fans did in the period.',
        }),
      }),
      { description: 'What fans did with what each sponsor supported at that time.' },
    ),
    stock: Type.Array(Stock),
    webhooks: Nullable(
      Type.Array(
        Closed({
          id: Type.String(),
          host: Type.String(),
          days: Type.Array(Count, { description: 'Events for the endpoint, by day.' }),
          pending: Integer({ minimum: 0, description: 'At most 10,000.' }),
          since: Nullable(Instant('Of the oldest that waits.'), { description: 'Null: nothing waits.' }),
          failed: Integer({ minimum: 0, description: 'Given up in the last 30 days. At most 10,000.' }),
          disabledAt: Nullable(Instant('When it was disabled.'), { description: 'Null: enabled.' }),
        }),
      ),
      { description: 'Null for a role that does not see webhooks.' },
    ),
  },
  { title: 'Season' },
)
export type Season = Static<typeof Season>
export type SeasonResult = Static<typeof Result>
export type SeasonStock = Static<typeof Stock>

/** Schemas of campaigns of messages. */
import { CATEGORIES } from '../../../club/notifications/categories.ts'
import { Closed, Instant, Integer, Nullable, OneOf, Slug } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { Reason } from '../../../identity/staff/reason.ts'

export const CampaignParams = Closed({ campaignId: Slug('The campaign: the id of its notification.') })

const Count = (description: string) => Integer({ minimum: 0, description })

const campaign = {
  id: Type.String({ description: 'The id of its notification.' }),
  state: OneOf(['draft', 'scheduled', 'running', 'stopped', 'finished'], {
    description: '`draft`: it was never started. `scheduled`: it waits for its time.',
  }),
  at: Type.String({ description: 'An instant, or a local time of each fan.' }),
  segment: Nullable(Type.String(), { description: 'Null: all fans.' }),
  category: OneOf(CATEGORIES, { description: 'What fans can switch off.' }),
  push: Type.Boolean({ description: 'Whether devices get it too.' }),
  title: Type.String({ description: 'In the default language; as it was when it was started.' }),
  active: Type.Boolean({
    description:
      'False: it cannot be started, because the notification is switched off or no longer has `at`.',
  }),
  startedAt: Nullable(Instant('When staff started it.'), { description: 'Null: never.' }),
  beginsAt: Nullable(Instant('When the first fans are due.'), { description: 'Null: it was not started.' }),
  stoppedAt: Nullable(Instant('When staff stopped it.'), { description: 'Null: it is not stopped.' }),
  finishedAt: Nullable(Instant('When the last fan had it.'), { description: 'Null: it is not finished.' }),
  fans: Nullable(Count('Fans in the segment when it began.'), { description: 'Null: it has not begun.' }),
  sent: Count('Fans who got it.'),
}

export const Campaigns = Closed(
  {
    campaigns: Type.Array(Closed(campaign, { title: 'ListedCampaign' }), {
      description: 'The last start first, then those that were never started.',
    }),
  },
  { title: 'Campaigns' },
)

export const CampaignReport = Closed(
  {
    ...campaign,
    queued: Count('Fans who wait for it.'),
    skipped: Count('Fans who do not want it.'),
    left: Count('Fans who were erased or merged before it was their turn.'),
    read: Count('Fans who have read it. Messages are kept for 90 days.'),
    clicked: Count('Fans who have opened its link.'),
    devices: Closed(
      {
        queued: Count('Pushes that wait.'),
        held: Count('Pushes that wait until the campaign is started again.'),
        sent: Count('Pushes that a service has accepted.'),
        gone: Count('Devices that no longer exist.'),
        failed: Count('Pushes that a service has refused.'),
        skipped: Count('Pushes that were not sent: quiet hours, limits, or the fan does not want them.'),
      },
      { description: 'Pushes are kept for 30 days.' },
    ),
  },
  { title: 'MessageCampaignReport' },
)

export const CampaignPreview = Closed(
  {
    version: Type.String({ description: 'Of what is shown. A start with another version is refused.' }),
    fans: Count('Fans who are in the segment now.'),
    samples: Type.Array(
      Closed({
        language: Type.String({ description: 'A language of its texts; `any` if they have none.' }),
        fans: Count('Fans who get it in this language.'),
        title: Type.String(),
        body: Type.String(),
        url: Nullable(Type.String(), { description: 'What a tap opens.' }),
        imageUrl: Nullable(Type.String()),
      }),
      { description: 'The default language first.' },
    ),
  },
  { title: 'CampaignPreview' },
)

export const StartCampaign = Closed(
  {
    version: Type.String({ minLength: 1, maxLength: 50, description: 'The `version` of the preview.' }),
    reason: Reason,
  },
  { title: 'StartCampaign' },
)

export const StopCampaign = Closed({ reason: Reason }, { title: 'StopCampaign' })
